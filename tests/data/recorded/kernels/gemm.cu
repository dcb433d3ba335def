/*attune
[kernel]
name = "gemm"
summary = "the parameters of a recorded kernel; its body is a stand-in"
[problem]
m = { size = 4096 }
n = { size = 4096 }
[parameters]
MWG = [16, 32, 64, 128]
NWG = [16, 32, 64, 128]
KWG = [32]
MDIMC = [8, 16, 32]
NDIMC = [8, 16, 32]
MDIMA = [8, 16, 32]
NDIMB = [8, 16, 32]
KWI = [2]
VWM = [1, 2, 4, 8]
VWN = [1, 2, 4, 8]
STRM = [0]
STRN = [0]
SA = [0, 1]
SB = [0, 1]
PRECISION = [32]
[restrictions]
rules = [
  "KWG % KWI == 0",
  "MWG % (MDIMC * VWM) == 0",
  "NWG % (NDIMC * VWN) == 0",
  "MWG % (MDIMA * VWM) == 0",
  "NWG % (NDIMB * VWN) == 0",
  "KWG % (MDIMC * NDIMC / MDIMA) == 0",
  "KWG % (MDIMC * NDIMC / NDIMB) == 0",
  "MDIMC * NDIMC <= 1024",
]
[[launch]]
entry = "gemm<MWG, NWG, KWG, MDIMC, NDIMC, MDIMA, NDIMB, KWI, VWM, VWN, STRM, STRN, SA, SB, PRECISION>"
grid = ["m / MWG", "n / NWG"]
block = ["MDIMC", "NDIMC"]
arguments = ["y", "m", "n"]
[arguments]
y = { type = "float", size = "m * n", role = "out" }
m = { type = "int64" }
n = { type = "int64" }
*/
template <int MWG_, int NWG_, int KWG_, int MDIMC_, int NDIMC_, int MDIMA_, int NDIMB_, int KWI_, int VWM_, int VWN_, int STRM_, int STRN_, int SA_, int SB_, int PRECISION_>
__global__ void gemm(float* y, long long m, long long n) {
  y[threadIdx.x] = static_cast<float>(MWG_ + NWG_ + KWG_ + MDIMC_ + NDIMC_ + MDIMA_ + NDIMB_ + KWI_ + VWM_ + VWN_ + STRM_ + STRN_ + SA_ + SB_ + PRECISION_ + m + n);
}
