// make_smooth_bundle FILE.cu FOLDER: writes FOLDER/wisdom.db, which knows smooth on this machine's host device with a
// configuration that is not the default, and FOLDER/smooth.bundle, what a dispatcher made of both.
#include <cstdio>
#include <exception>
#include <filesystem>
#include <fstream>

#include "attune/dispatcher.hpp"
#include "attune/kernel_files.hpp"
#include "db/wisdom_store.hpp"
#include "device/device.hpp"
#include "spec/kernel_file.hpp"
#include "support/made_record.hpp"

int main(int count, char** arguments) try {
  namespace fs = std::filesystem;
  if (count != 3) {
    std::fputs("usage: make_smooth_bundle FILE.cu FOLDER\n", stderr);
    return 2;
  }
  const fs::path file = arguments[1], folder = arguments[2];
  fs::remove_all(folder);
  fs::create_directories(folder);
  fs::permissions(folder, fs::perms::owner_all);
  const attune::Problem problem{{"n", 1 << 20}, {"T", "float"}};
  const std::unique_ptr<attune::Device> device = attune::open_device("host");
  const attune::KernelSpec spec = attune::read_kernel_file(file);
  attune::WisdomStore(folder / "wisdom.db")
      .put_record(attune::made_record(spec, device->info(), problem, {{"BLOCK", 64}, {"ITEMS", 2}},
                                      device->compiler()->toolchain()));
  attune::Dispatcher gpu({.device = "host", .database = folder / "wisdom.db", .cache = folder / "cache", .warn = {}});
  gpu.add(attune::kernel_file(file));
  gpu.plan("smooth", problem);
  const std::vector<std::byte> bytes = gpu.bundle();
  std::ofstream bundle(folder / "smooth.bundle", std::ios::binary);
  bundle.write(reinterpret_cast<const char*>(bytes.data()), std::ssize(bytes));
  if (!bundle.flush()) throw std::runtime_error("the bundle is not written");
} catch (const std::exception& error) {
  std::fprintf(stderr, "make_smooth_bundle: %s\n", error.what());
  return 1;
}
