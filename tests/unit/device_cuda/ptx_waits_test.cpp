#include "device/cuda/ptx_waits.hpp"

#include <gtest/gtest.h>

#include <string>

namespace attune::cuda {
namespace {

// As NVRTC writes it: one entry waits behind braces of its own, its neighbour does not.
constexpr std::string_view ptx = R"(
.visible .entry _Z3runv;
.visible .entry _Z3runv(
	.param .u64 _Z3runv_param_0
)
{
	.reg .b32 %r<2>;
	// begin inline asm
	{
.reg .pred over;
}
	// end inline asm
	griddepcontrol.wait;
	ret;

}
	// .globl	_Z4run2v
.visible .entry _Z4run2v(

)
.maxntid 128
{
	ret;
}
)";

TEST(PtxWaits, OfTheEntryAloneCount) {
  EXPECT_TRUE(waits_for_previous(ptx, "_Z3runv"));
  EXPECT_FALSE(waits_for_previous(ptx, "_Z4run2v"));
  EXPECT_FALSE(waits_for_previous(ptx, "_Z3run"));
  EXPECT_FALSE(waits_for_previous("", "_Z3runv"));
  EXPECT_FALSE(waits_for_previous(".entry a(", "a"));
}

TEST(PtxWaits, CountInACalledFunction) {
  const std::string called =
      ".func wait_()\n{\n\tgriddepcontrol.wait;\n}\n.entry a()\n{\n\tcall.uni wait_, ();\n}\n"
      ".entry b()\n{\n\tret;\n}\n";
  EXPECT_TRUE(waits_for_previous(called, "a"));
  EXPECT_FALSE(waits_for_previous(called, "b"));
}

TEST(PtxWaits, OfAnotherEntryDoNotCountWhereAFunctionIsCalled) {
  const std::string calling =
      ".func print_()\n{\n\tret;\n}\n.entry a()\n{\n\tcall.uni print_, ();\n}\n"
      ".entry b()\n{\n\tgriddepcontrol.wait;\n}\n";
  EXPECT_FALSE(waits_for_previous(calling, "a"));
  EXPECT_TRUE(waits_for_previous(calling, "b"));
}

}  // namespace
}  // namespace attune::cuda
