// Reads an SQLite file for applications, by a connection and its statements. The only change that it makes is to roll
// back a journal. The file may have been written by anyone, so time and bytes are limited, and nothing is attached. One
// thread at a time.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

struct sqlite3;
struct sqlite3_stmt;

namespace attune {

class ReadConnection {
 public:
  // Opens an existing file. Later waits for each lock take up to `seconds`. `is_immutable`: nobody writes the file
  // while it is open; it is read without locks, journal and log. Throws Error.
  ReadConnection(const std::filesystem::path& file, double seconds, bool is_immutable = false);
  ReadConnection(const ReadConnection&) = delete;
  ReadConnection& operator=(const ReadConnection&) = delete;
  // Closes the connection, except in a child process after fork().
  ~ReadConnection();

  // Begins a reading. All that is read from begin() to end() is of one state of the database. No lock is held before
  // begin() and after end(). Throws as a ReadStatement does.
  void begin();
  // Ends a reading. Returns false if the connection should not be kept, for example after a failure.
  bool end() noexcept;
  // Returns false if another file has taken the place of this one, and in a child process after fork().
  bool is_of_present_file() const noexcept;
  // Returns whether the schema is another one than in the reading before, or this is the first reading.
  bool has_new_schema() const noexcept { return has_new_schema_; }
  const std::filesystem::path& file() const noexcept { return file_; }
  // Returns the first column of the query's first row, or 0 if there is no row.
  std::int64_t number(const char* query);

 private:
  friend class ReadStatement;
  struct Close {
    void operator()(sqlite3* handle) const noexcept;
    void operator()(sqlite3_stmt* statement) const noexcept;
  };
  [[noreturn]] void fail(int code);
  void roll_back_journal();
  static int look_at_time(void* connection) noexcept;
  std::filesystem::path file_;
  std::string wal_;
  std::uint64_t identity_[2] = {};  // device and inode
  int process_;
  double seconds_;
  double begun_ = 0;         // when the reading began, in the thread's processor time
  std::uint64_t bytes_ = 0;  // of texts, since begin()
  std::int64_t schema_ = -1;
  bool failed_ = false, has_new_schema_ = true;
  std::unique_ptr<sqlite3, Close> handle_;
  std::vector<std::unique_ptr<sqlite3_stmt, Close>> statements_;
};

// A query and its rows. The constructor, bind() and next() throw Error: PassingFailure if the query may succeed later,
// and DatabaseLocked if the wait for a lock was too long. The connection keeps the prepared query for the next object
// with its text. Two objects of one text must not live at once.
class ReadStatement {
 public:
  ReadStatement(ReadConnection& connection, std::string_view query);
  ReadStatement(const ReadStatement&) = delete;
  ReadStatement& operator=(const ReadStatement&) = delete;
  ~ReadStatement();
  // Binds a parameter. Parameters count from 1.
  void bind(int parameter, std::string_view text);
  // Goes to the next row. Returns whether there is one.
  bool next();
  // Goes back before the first row. Parameters stay bound.
  void reset();
  // Return columns of the present row, counted from 0. A text is valid until the next call of next() or reset(). text()
  // throws Error if the texts of a reading exceed most_reading_bytes.
  std::string_view text(int column) const;
  std::int64_t integer(int column) const;
  double real(int column) const;  // NaN for NULL
  bool is_null(int column) const;

 private:
  friend class ReadConnection;
  int step();
  ReadConnection& connection_;
  sqlite3_stmt* handle_ = nullptr;
};

}  // namespace attune
