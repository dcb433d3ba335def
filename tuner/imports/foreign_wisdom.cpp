#include "imports/foreign_wisdom.hpp"

#include "attune/error.hpp"
#include "imports/record_checks.hpp"

namespace attune {
namespace {

template <typename Check, typename T>
bool passes(Check check, const T& value) {
  try {
    check(value);
    return true;
  } catch (const UsageError&) {
    return false;
  }
}

}  // namespace

void make_imported(Record& record, const std::string& source) {
  record.origin = Origin::imported;
  if (record.source.empty()) record.source = source;
}

bool ForeignWisdom::admits(SessionRow& session) const {
  session.host.clear();
  session.protocol = 0;  // its trials are not taken for trials of here
  if (session.state == SessionState::running) session.state = SessionState::partial;
  return is_wanted(session.key.record) && passes(check_session, session);
}

bool ForeignWisdom::admits(Trial& trial) const {
  trial.detail.clear();
  trial.deaths = 0;  // whether it kills workers here is not known
  return passes(check_configuration, trial.configuration);
}

bool ForeignWisdom::admits(Record& record) const {
  make_imported(record, "another database");
  return is_wanted(record.key) && passes(check_record, record);
}

bool ForeignWisdom::admits(FinalistResult& finalist) const {
  return passes(check_configuration, finalist.configuration);
}

}  // namespace attune
