// Reading an SQLite file, for applications: a connection that changes nothing but a journal to roll back, and its
// statements. What is read may be of any hand: time and bytes have limits, and nothing is called or attached. One
// thread at a time.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>

struct sqlite3;
struct sqlite3_stmt;

namespace attune {

class ReadConnection {
 public:
  // Opens a file that is there. Waits up to `seconds` for each lock. Throws Error.
  ReadConnection(const std::filesystem::path& file, double seconds);
  ReadConnection(const ReadConnection&) = delete;
  ReadConnection& operator=(const ReadConnection&) = delete;
  // In a child process that fork() made, the connection stays open.
  ~ReadConnection();

  // What is read from begin() to end() belongs together. Nothing is locked outside. Throws Error; DatabaseLocked.
  void begin();
  // Returns false where the connection should not stay open: after a failure, say.
  bool end() noexcept;
  // Returns false where another file has taken the place of this one, and in a child process.
  bool is_of_present_file() const noexcept;
  const std::filesystem::path& file() const noexcept { return file_; }
  // Returns the first column of the first row; 0 where there is none.
  std::int64_t number(const char* query);

 private:
  friend class ReadStatement;
  struct Close {
    void operator()(sqlite3* handle) const noexcept;
  };
  [[noreturn]] void fail(int code);
  void roll_back_journal();
  static int look_at_time(void* connection) noexcept;
  static int allow_plain_reading(void* connection, int action, const char*, const char*, const char*,
                                 const char*) noexcept;
  std::filesystem::path file_;
  std::string wal_;
  std::uint64_t identity_[2] = {};  // device and inode
  int process_;
  double seconds_;
  double begun_ = 0;         // by the clock of the thread's processor time
  std::uint64_t bytes_ = 0;  // of texts, since begin()
  bool failed_ = false, is_denied_ = false;
  std::unique_ptr<sqlite3, Close> handle_;
};

// A query and its rows. Throws Error; DatabaseLocked.
class ReadStatement {
 public:
  ReadStatement(ReadConnection& connection, std::string_view query);
  // Binds a parameter, from 1.
  void bind(int parameter, std::string_view text);
  // Goes to the next row. Returns whether there is one.
  bool next();
  // Goes back before the first row; parameters stay as they are bound.
  void reset();
  // The columns of the row, from 0. A text is valid until the next call of next(). Throws Error beyond
  // most_reading_bytes.
  std::string_view text(int column) const;
  std::int64_t integer(int column) const;
  double real(int column) const;  // NULL: not a number
  bool is_null(int column) const;

 private:
  struct Finalize {
    void operator()(sqlite3_stmt* statement) const noexcept;
  };
  ReadConnection& connection_;
  std::unique_ptr<sqlite3_stmt, Finalize> handle_;
};

}  // namespace attune
