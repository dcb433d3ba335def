// The built-in kernels with the problems at which each must be right. One line per kernel; three tests walk the table.
#pragma once

#include <ostream>
#include <string>
#include <vector>

namespace attune::test {

using Texts = std::vector<std::string>;  // of problems, or of parts of them

struct KernelCase {
  std::string kernel;
  Texts types;             // the first at every covering configuration, the others at some
  Texts small;             // size 1, primes, beyond a multiple of the tile, odd shapes: on the host device
  Texts medium;            // the same for a GPU
  Texts large;             // more than 65,535 blocks
  Texts huge;              // more than 2^31 elements
  std::string exact = {};  // the type of large and huge, if not the first: where a sum shows each element
};

inline void PrintTo(const KernelCase& one, std::ostream* out) { *out << one.kernel; }

inline const std::vector<KernelCase>& kernel_cases() {
  static const Texts reductions{"T=float",
                                "T=double",
                                "T=int32",
                                "T=int64",
                                "T=half",
                                "T=bfloat16",
                                "T=float OP=Op::min",
                                "T=int64 OP=Op::max",
                                "T=half OP=Op::min"};
  static const Texts small{"n=1", "n=997", "n=4097", "n=40000"}, medium{"n=1", "n=997", "n=1048579"};
  static const Texts large{"n=2**28+3"}, huge{"n=2**31+1025"};
  static const Texts arithmetic{"T=float", "T=double", "T=int32", "T=int64", "T=half", "T=bfloat16"};
  static const Texts elements{"T=float", "T=uint8", "T=double", "T=int64", "T=half", "T=bfloat16"};
  static const Texts images{"L=int64 NEIGHBOURS=Neighbours::eight", "L=int32 NEIGHBOURS=Neighbours::four"};
  static const std::vector<KernelCase> cases{
      {"add",
       arithmetic,
       {"rows=1 columns=1", "rows=53 columns=97 pitch=101", "rows=200 columns=260"},
       {"rows=1 columns=1", "rows=97 columns=1031 pitch=1040", "rows=2048 columns=516"},
       {"rows=131101 columns=1024"},
       {"rows=65537 columns=32772"}},
      {"argmax",
       {"T=float", "T=bfloat16 DATA=Data::specials", "T=half DATA=Data::ties I=int32", "T=int32 DATA=Data::ties",
        "T=float DATA=Data::specials", "T=bfloat16 DATA=Data::ties", "T=int32 DATA=Data::specials I=int32"},
       {"rows=1 columns=1", "rows=97 columns=7", "rows=41 columns=1031", "rows=3 columns=20001", "rows=7 columns=1024"},
       {"rows=1 columns=1", "rows=99991 columns=7", "rows=1031 columns=1031", "rows=3 columns=1000003",
        "rows=700 columns=1024"},
       {"rows=2**20+1 columns=67"},
       {"rows=65537 columns=32772"}},
      {"axpy", arithmetic, small, medium, large, huge},
      {"components",
       images,
       {"width=1 height=1", "width=1 height=97", "width=301 height=67 density=62", "width=144 height=131",
        "width=128 height=128 IMAGE=Image::chessboard", "width=131 height=130 IMAGE=Image::comb",
        "width=67 height=131 IMAGE=Image::serpentine"},
       {"width=1 height=1", "width=1 height=1031", "width=1031 height=517 density=62",
        "width=1024 height=768 density=95", "width=1024 height=768 IMAGE=Image::chessboard",
        "width=1031 height=517 IMAGE=Image::comb", "width=517 height=1031 IMAGE=Image::serpentine"},
       {"width=16387 height=16384"},
       {"width=65536 height=32777"}},
      {"conv2d",
       {"FW=15 FH=15", "FW=3 FH=3", "FW=1 FH=1", "FW=4 FH=7", "FW=31 FH=31"},
       {"width=1 height=1", "width=97 height=41", "width=260 height=33"},
       {"width=1 height=1", "width=97 height=89", "width=1030 height=517", "width=1024 height=256"},
       {"width=16387 height=16384"},
       {"width=65536 height=32777"},
       "FW=3 FH=3"},
      {"copy",
       elements,
       {"n=1", "n=997 offset=3", "n=4097 offset=8 stride=3", "n=40000"},
       {"n=1", "n=997 offset=3", "n=100003 stride=5", "n=1048579"},
       large,
       huge},
      {"dot", arithmetic, small, medium, large, huge, "T=int32"},
      {"gemm_batched",
       {"n=8 T=float", "n=4 T=float", "n=16 T=float", "n=32 T=float", "n=31 T=float", "n=1 T=float", "n=64 T=float",
        "n=61 T=float", "n=7 T=double", "n=8 T=double", "n=30 T=double", "n=32 T=double"},
       {"batch=1", "batch=53", "batch=131"},
       {"batch=1", "batch=997", "batch=16387"},
       {"batch=2**22+3"},
       {"batch=2**25+3"}},
      {"gemm_tensor",
       {"T=bfloat16", "T=half"},
       {"m=1 n=1 k=1", "m=97 n=131 k=67", "m=131 n=130 k=134", "m=97 n=136 k=72", "m=130 n=264 k=200"},
       {"m=1 n=1 k=1", "m=97 n=1031 k=67", "m=517 n=1030 k=262", "m=97 n=1032 k=72", "m=515 n=264 k=1032"},
       {"m=65537 n=8200 k=72"},
       {"m=65536 n=32776 k=64"}},
      {"histogram",
       {"T=uint8 DATA=Data::wide", "T=uint16 C=uint64 DATA=Data::wide", "T=int32 DATA=Data::wide"},
       {"n=1 bins=1", "n=997 bins=300", "n=20011 bins=5000"},
       {"n=1 bins=256", "n=997 bins=2048", "n=1048579 bins=100", "n=1048579 bins=5000"},
       {"n=2**28+3 bins=256"},
       {"n=2**31+1025 bins=256"}},
      {"layernorm",
       {"T=float", "T=bfloat16", "T=half", "T=float DATA=Data::offset", "T=half DATA=Data::awkward"},
       {"rows=1 columns=1", "rows=5 columns=97", "rows=13 columns=1031", "rows=3 columns=4096", "rows=64 columns=256"},
       {"rows=1 columns=1", "rows=97 columns=1031", "rows=131 columns=4096", "rows=67 columns=768",
        "rows=4096 columns=256", "rows=9 columns=262144"},
       {"rows=131101 columns=1024"},
       {"rows=65537 columns=32772"}},
      {"matmul",
       {"T=float", "T=double TA=Trans::yes", "T=float TB=Trans::yes BETA=Beta::any",
        "T=float TA=Trans::yes TB=Trans::yes"},
       {"m=1 n=1 k=1", "m=97 n=131 k=67", "m=64 n=136 k=72", "m=3 n=100 k=301"},
       {"m=1 n=1 k=1", "m=97 n=131 k=1031", "m=516 n=260 k=132", "m=7 n=1030 k=2053"},
       {"m=16411 n=16387 k=33"},
       {"m=65536 n=32777 k=17"}},
      // All pairs are computed, so neither many blocks nor many elements take more than a million bodies.
      {"nbody",
       {"T=float", "T=double", "T=float LAYOUT=Layout::soa", "T=double LAYOUT=Layout::soa"},
       {"n=1", "n=97", "n=1031"},
       {"n=1", "n=997", "n=4099", "n=30011"},
       {"n=2**19+3"},
       {"n=2**20+1"}},
      {"reduce", reductions, small, medium, large, huge, "T=int32"},
      {"rowsum",
       {"T=float", "T=double", "T=half", "T=bfloat16", "T=int32"},
       {"rows=1 columns=1", "rows=97 columns=7", "rows=41 columns=1031", "rows=3 columns=20001", "rows=7 columns=1024",
        "rows=64 columns=1024"},
       {"rows=1 columns=1", "rows=99991 columns=7", "rows=1031 columns=1031", "rows=3 columns=1000003",
        "rows=700 columns=1024", "rows=4096 columns=1024"},
       {"rows=2**20+1 columns=67"},
       {"rows=65537 columns=32772"},
       "T=int32"},
      {"scan",
       {"T=float", "T=double KIND=Kind::exclusive", "T=int32 OP=Op::min", "T=int64 KIND=Kind::exclusive", "T=half",
        "T=bfloat16 OP=Op::max KIND=Kind::exclusive"},
       small,
       medium,
       large,
       huge,
       "T=int32"},
      {"softmax",
       {"T=float", "T=bfloat16", "T=half", "T=bfloat16 DATA=Data::masked", "T=float DATA=Data::large"},
       {"rows=1 columns=1", "rows=5 columns=97", "rows=13 columns=1031", "rows=3 columns=4096", "rows=64 columns=256"},
       {"rows=1 columns=1", "rows=97 columns=1031", "rows=131 columns=4096", "rows=67 columns=768",
        "rows=4096 columns=256", "rows=9 columns=262144"},
       {"rows=131101 columns=1024"},
       {"rows=65537 columns=32772"}},
      {"spmv",
       {"T=float CLASS=Class::uniform", "T=double CLASS=Class::power_law", "T=float O=int64 CLASS=Class::power_law",
        "T=double O=int64 CLASS=Class::long_row", "T=float CLASS=Class::long_row", "T=float CLASS=Class::dense_rows",
        "T=float CLASS=Class::empty_rows", "T=float CLASS=Class::banded", "T=float CLASS=Class::stencil",
        "T=double CLASS=Class::blocks", "T=float CLASS=Class::permutation", "T=float O=int64 CLASS=Class::diagonal"},
       {"rows=1 columns=1 nonzeros=1", "rows=1031 columns=997 nonzeros=20011", "rows=2503 columns=13 nonzeros=5003",
        "rows=7 columns=5003 nonzeros=3001", "rows=9001 columns=9001 nonzeros=1009"},
       {"rows=1 columns=1 nonzeros=1", "rows=100003 columns=99991 nonzeros=1600033",
        "rows=100003 columns=13 nonzeros=200003", "rows=7 columns=1000003 nonzeros=1000003",
        "rows=300007 columns=300007 nonzeros=1009"},
       {"rows=2**24+3 columns=2**24 nonzeros=2**28+5"},
       {"rows=2**25+1 columns=2**20 nonzeros=2**31+1025"},
       "T=float O=int64 CLASS=Class::uniform"},
      {"stencil3d",
       {"T=float", "T=double", "T=float radius=1", "T=float radius=2", "T=half radius=3", "T=bfloat16"},
       {"nx=1 ny=1 nz=1", "nx=97 ny=21 nz=7", "nx=136 ny=37 nz=19"},
       {"nx=1 ny=1 nz=1", "nx=97 ny=89 nz=23", "nx=328 ny=77 nz=45"},
       {"nx=8200 ny=16384 nz=2"},
       {"nx=1288 ny=1290 nz=1300"}},
      {"transpose",
       {"T=float", "T=double", "T=int32", "T=int64", "T=half", "T=bfloat16", "T=int8", "T=float4"},
       {"width=1 height=1", "width=97 height=89", "width=129 height=260", "width=256 height=128"},
       {"width=1 height=1", "width=97 height=89", "width=1030 height=516", "width=1024 height=512"},
       {"width=16411 height=16384"},
       {"width=65536 height=32777"}},
  };
  return cases;
}

// Returns "sm_90_T_float": the letters, digits and underscores of the words.
inline std::string test_name(const std::string& words) {
  std::string name;
  for (const char c : words)
    name += (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') ? c : '_';
  return name;
}

}  // namespace attune::test
