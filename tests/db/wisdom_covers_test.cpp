// Covers: as the store, an application and a bundle read them.
#include "bundle/bundle_covers.hpp"
#include "bundle/bundle_wisdom.hpp"
#include "core/record_hash.hpp"
#include "db/field_values.hpp"
#include "db/reader/wisdom_reader.hpp"
#include "db/wisdom_test.hpp"
#include "kernel/look_up.hpp"

namespace attune {
namespace {

using test::sample_cover;
using test::sample_device;
using test::sample_kernel;
using test::texts_of;
using testing::IsEmpty;
using testing::SizeIs;

class WisdomCovers : public test::WisdomTest {
 protected:
  FoundRecords found_in(const RecordTable& table) const {
    const KernelSpec spec = sample_kernel();
    const Problem problem{{"n", 3000}, {"T", "float"}};
    const DeviceInfo device = sample_device();
    return look_up(table, {spec, problem, device, "reduce"}, Reach::this_problem);
  }
  static BundleWisdom bundle_of(const std::vector<Cover>& covers) {
    BundleWriter writer;
    add_covers(writer, covers);
    return BundleWisdom(Bundle::owning(writer.finish(), "a bundle"));
  }
};

TEST_F(WisdomCovers, AreReadAsTheyWereStored) {
  WisdomStore store(file_);
  store.put_cover(sample_cover());
  ASSERT_THAT(store.covers(), SizeIs(1));
  EXPECT_EQ(texts_of(store.covers("reduce")[0]), texts_of(sample_cover()));
  EXPECT_THAT(store.covers("other"), IsEmpty());
  for (const FoundRecords& found : {found_in(WisdomReader(file_)), found_in(bundle_of({sample_cover()}))}) {
    ASSERT_THAT(found.covers, SizeIs(1));
    EXPECT_EQ(texts_of(found.covers[0]), texts_of(sample_cover()));
    EXPECT_EQ(found.covers[0].configurations, sample_cover().configurations);
    EXPECT_EQ(found.damaged, 0);
  }
}

TEST_F(WisdomCovers, ThereIsOneForEachKey) {
  WisdomStore store(file_);
  Cover newer = sample_cover(), warm = sample_cover();
  newer.tree = "1", newer.made_ms += 1;
  warm.key.regime = "warm";
  for (const Cover& cover : {sample_cover(), newer, warm}) store.put_cover(cover);
  EXPECT_THAT(store.covers(), SizeIs(2));
  for (const FoundRecords& found :
       {found_in(WisdomReader(file_)), found_in(bundle_of({newer, warm, sample_cover()}))}) {
    ASSERT_THAT(found.covers, SizeIs(1));
    EXPECT_EQ(found.covers[0].tree, "1");
  }
}

TEST_F(WisdomCovers, DamagedOnesAreLeftOutAndCounted) {
  {
    WisdomStore store(file_);
    store.put_cover(sample_cover());
  }
  for (const char* const change : {"tree = '1'", "configurations = '{'", "worst_loss = 0.5"}) {
    execute("UPDATE cover SET " + std::string(change));
    const FoundRecords found = found_in(WisdomReader(file_));
    EXPECT_THAT(found.covers, IsEmpty()) << change;
    EXPECT_EQ(found.damaged, 1) << change;
    EXPECT_EQ(found.damaged_covers, 1) << change;
    WisdomStore store(file_);
    EXPECT_THAT(store.covers(), IsEmpty());
    EXPECT_EQ(store.damaged_rows(), 1);
  }
  const std::vector<std::byte> none(7);
  EXPECT_FALSE(decode_covers(none));
}

TEST_F(WisdomCovers, AHashCoversEveryField) {
  const std::string whole = cover_hash(sample_cover());
  std::size_t fields_changed = 0;
  const std::size_t count = test::columns_of<Cover>().size();
  for (std::size_t i = 0; i < count; ++i) {
    Cover changed = sample_cover();
    std::size_t at = 0;
    fields(
        [&](const char*, auto& value) {
          if (at++ != i) return;
          if constexpr (requires { value += "x"; })
            value += "x";
          else if constexpr (requires { value.pop_back(); })
            value.pop_back();
          else
            value += 1;
        },
        changed);
    fields_changed += cover_hash(changed) != whole ? 1 : 0;
  }
  EXPECT_EQ(fields_changed, count);
}

}  // namespace
}  // namespace attune
