// What an import takes of another wisdom database: values and figures, never messages, host names or quarantine.
// Immutable; any thread.
#pragma once

#include <string>

#include "db/wisdom_join.hpp"

namespace attune {

// Makes a record one that was brought in from `source`, unless it names a source of its own. A pin of others is not a
// pin here.
void make_imported(Record& record, const std::string& source);

class ForeignWisdom : public JoinFilter {
 public:
  // `kernel`: of this kernel alone; "" for all.
  explicit ForeignWisdom(std::string kernel) : kernel_(std::move(kernel)) {}
  bool admits(SessionRow& session) const override;
  bool admits(Trial& trial) const override;
  bool admits(Record& record) const override;
  bool admits(FinalistResult& finalist) const override;

 private:
  bool is_wanted(const RecordKey& key) const { return kernel_.empty() || key.kernel == kernel_; }
  std::string kernel_;
};

}  // namespace attune
