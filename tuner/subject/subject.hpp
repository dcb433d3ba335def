// Subject: what is tuned, for one problem on one device: its key, its search space, what a worker does to try a
// configuration, and what is known of it beside times. Sessions know subjects only. A kernel file is a subject
// (kernel_subject.hpp), and so is a recording (recording_subject.hpp). The worker's half of a subject is a Runner.
// One thread.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "attune/search_space.hpp"
#include "core/record.hpp"
#include "subject/instance.hpp"

namespace attune {

struct SubjectIdentity {
  std::string name;
  Problem problem;            // complete
  Fingerprints fingerprints;  // digests of what is run, never empty: wisdom and quarantine go by them
  bool is_narrowed = false;   // a part of the space is searched
};

class Subject {
 public:
  virtual ~Subject() = default;

  const SubjectIdentity& identity() const noexcept { return identity_; }
  const std::string& name() const noexcept { return identity_.name; }

  virtual const SearchSpace& space() const = 0;
  // Returns the subject's own default, even if the subject is narrowed. Returns nothing if there is none, or if a
  // session must not use it.
  virtual const std::optional<Configuration>& default_configuration() const = 0;
  // Returns what may be the anchor of a session, in order: the default, then the first values left if they differ.
  // Empty if no configuration is legal.
  virtual const std::vector<Configuration>& anchors() const = 0;

  // Returns legal rows to try before a strategy is asked, in their order.
  virtual std::vector<Row> first_rows() const { return {}; }
  // Returns those of the records that may help a search, likeliest first.
  virtual std::vector<Record> ranked(std::span<const Record> records, std::string_view regime,
                                     std::string_view objective) const = 0;

  // Resolves a configuration. Throws Error when a part of it cannot be resolved.
  virtual std::shared_ptr<const Instance> prepare(InstanceId id, const Configuration& configuration) const = 0;
  // Returns what a worker needs before the first instance, with everything compiled by `compile`. Without a reference,
  // the results of `expected` are the expected ones. Throws ReferenceDoesNotCompile and Error.
  virtual TrialSetup setup(const Configuration& expected, const CompileOne& compile, std::uint64_t seed) const = 0;
  // Returns what makes instances ready where no compiler does; "": instances have images, which are compiled.
  virtual std::string_view toolchain() const { return ""; }

  virtual bool has_reference() const { return true; }
  // Returns whether a launch changes its input, which is restored before each launch: then there is no stream of them.
  virtual bool restores_inputs() const { return false; }
  // Returns the rule that promises equal bits in every launch of a configuration, or "" if none does.
  virtual std::string deterministic_by(const Configuration&) const { return ""; }
  // Returns the bytes that a launch moves at least, and its floating-point operations, where they are known.
  virtual std::optional<double> bytes(const Configuration&) const { return std::nullopt; }
  virtual std::optional<double> flops(const Configuration&) const { return std::nullopt; }
  // Returns advice for the user where data may be the cause of a failure, or "".
  virtual std::string data_advice() const { return ""; }

 protected:
  explicit Subject(SubjectIdentity identity) : identity_(std::move(identity)) {}

 private:
  const SubjectIdentity identity_;
};

}  // namespace attune
