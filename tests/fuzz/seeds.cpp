// fuzz_seeds FOLDER: writes inputs of the present formats to FOLDER/TARGET, for targets whose inputs nobody writes by
// hand. scripts/fuzz begins with them, so that a changed format is fuzzed where it changed.
#include <filesystem>
#include <fstream>
#include <memory>
#include <type_traits>
#include <utility>

#include "attune/bundle.hpp"
#include "bundle/bundle_images.hpp"
#include "bundle/bundle_records.hpp"
#include "bundle/kernel_pack.hpp"
#include "fuzz/fuzzed.hpp"
#include "spec/kernel_file.hpp"
#include "support/made_record.hpp"
#include "worker/messages/fields.hpp"
#include "worker/messages/messages.hpp"

namespace attune {
namespace {

using Bytes = std::vector<std::byte>;

Image sample_image() {
  Image image{"sm_90", "NVRTC 13.0", {{"f<float>", "_Z1fIfEv", {32, 1, 2, 3, 4}}}, {}, {{"a.h", ""}}};
  image.code = std::make_shared<const Bytes>(8);
  return image;
}

// Gives every list and every optional member of a message one element, and numbers the value 1.
class FilledArchive {
 public:
  template <typename... Values>
  void operator()(Values&... values) {
    (fill(values), ...);
  }
  void operator()(const char*, auto& value) { fill(value); }
  void choice(auto&, auto) {}

 private:
  void fill(bool&) {}  // a success that is sticky is no message
  void fill(std::byte&) {}
  void fill(std::string& value) { value = "ab"; }
  void fill(Image& value) { value = sample_image(); }
  void fill(auto& number) requires(std::is_arithmetic_v<std::remove_cvref_t<decltype(number)>>) { number = 1; }
  template <typename T>
  void fill(std::optional<T>& value) {
    fill(value.emplace());
  }
  template <typename T>
  void fill(std::vector<T>& values) {
    fill(values.emplace_back());
  }
  template <typename T, std::size_t N>
  void fill(std::array<T, N>& values) {
    for (T& value : values) fill(value);
  }
  template <typename Struct>
  requires(std::is_class_v<Struct>) void fill(Struct& value) { fields(*this, value); }
};

template <typename Variant, std::size_t... I>
std::vector<Variant> one_of_each(std::index_sequence<I...>) {
  std::vector<Variant> made{std::variant_alternative_t<I, Variant>{}...};
  FilledArchive archive;
  for (Variant& one : made) std::visit([&](auto& held) { archive(held); }, one);
  return made;
}

template <typename Variant>
std::vector<Variant> one_of_each() {
  return one_of_each<Variant>(std::make_index_sequence<std::variant_size_v<Variant>>());
}

class SeedFolder {
 public:
  explicit SeedFolder(std::filesystem::path folder) : folder_(std::move(folder)) {}
  void write(const std::string& target, const Bytes& bytes) {
    std::filesystem::create_directories(folder_ / target);
    const std::string name = "seed_" + std::to_string(written_++);
    std::ofstream(folder_ / target / name, std::ios::binary)
        .write(reinterpret_cast<const char*>(bytes.data()), std::ssize(bytes));
  }

 private:
  std::filesystem::path folder_;
  std::size_t written_ = 0;
};

void write_messages(SeedFolder& folder) {
  Bytes frames;
  const auto write = [&](const Bytes& bytes) {
    folder.write("message", bytes);
    ByteWriter frame;
    frame.number(std::uint32_t{0x6b777461});  // docs/formats/worker_messages.md
    frame.number(static_cast<std::uint32_t>(bytes.size()));
    frame.raw(bytes);
    const Bytes whole = frame.take();
    frames.insert(frames.end(), whole.begin(), whole.end());
  };
  for (const Job& job : one_of_each<Job>()) write(encode(job));
  for (Answer& answer : one_of_each<Answer>()) write(encode(Reply{1, 1, std::move(answer)}));
  folder.write("frames", frames);
}

void write_bundles(SeedFolder& folder) {
  const KernelSpec spec = read_embedded_kernel(builtin_kernels().front());
  const KernelPack pack{without_tuning(spec), "add", {}};
  folder.write("pack", encode(pack));
  std::vector<Record> records;
  for (const std::int64_t n : {64, 65, 1 << 20})
    records.push_back(made_record(spec, DeviceInfo{}, Problem{{"n", n}, {"T", "float"}},
                                  Configuration{{"BLOCK", 256}, {"VECTOR", 2.5}}, "NVRTC 13.0"));
  BundleWriter wisdom, whole;
  add_records(wisdom, records);
  folder.write("bundle", wisdom.finish());
  add_kernel(whole, pack);
  add_image(whole, std::string(64, 'a'), sample_image());
  folder.write("bundle", whole.finish());
}

}  // namespace
}  // namespace attune

int main(int count, char** arguments) {
  using namespace attune;
  if (count != 2) return 2;
  SeedFolder folder(arguments[1]);
  folder.write("image", image_payload(sample_image()));
  folder.write("image", serialise(sample_image()));
  write_messages(folder);
  write_bundles(folder);
  return 0;
}
