// Particle swarm on value positions. Each particle keeps flying, drawn to its own best place and to the best of all.
// Its place is rounded to values and repaired to a legal configuration.
#include <map>

#include "search/moves.hpp"
#include "search/table.hpp"

namespace attune {
namespace {

class ParticleSwarm final : public Strategy {
 public:
  ParticleSwarm(const SearchSpace& space, std::uint64_t seed, const StrategyOptions& options)
      : space_(space),
        cube_(space),
        ledger_(space, seed),
        random_(~seed),
        particles_(options.count("particles")),
        inertia_(options.number("inertia")),
        own_(options.number("own")),
        social_(options.number("social")) {}

  std::optional<Row> ask() override {
    const std::size_t number = turn_++ % particles_.size();
    Particle& particle = particles_[number];
    const auto row = particle.at.empty() ? ledger_.claim_random() : moved(particle);
    if (!row) return std::nullopt;
    if (particle.at.empty()) begin(particle, *row);
    particle.at = *row;
    particle.point = cube_.point(*row);
    waiting_[*row] = number;
    return row;
  }

  void tell(RowView row, const Outcome& outcome) override {
    ledger_.tell(row, outcome);
    const auto found = waiting_.find(Row(row.begin(), row.end()));
    if (found == waiting_.end()) return;  // the ledger's best attracts all
    Particle& particle = particles_[found->second];
    waiting_.erase(found);
    if (!(cost(outcome) < particle.least)) return;
    particle.least = outcome.objective;
    particle.best = cube_.point(row);
  }

 private:
  struct Particle {
    Row at;
    std::vector<double> point, speed;
    std::vector<double> best;  // of its own outcomes; empty before the first
    double least = never;
  };

  // Starts a particle at `row`. Its speed is half of the way to a random configuration.
  void begin(Particle& particle, RowView row) {
    Row other(row.size());
    space_.sample(random_, other);
    particle.speed = cube_.point(other);
    const auto here = cube_.point(row);
    for (std::size_t i = 0; i < here.size(); ++i) particle.speed[i] = (particle.speed[i] - here[i]) / 2;
  }

  std::optional<Row> moved(Particle& particle) {
    const auto all = ledger_.best() ? cube_.point(ledger_.best()->row) : particle.point;
    const auto& own = particle.best.empty() ? particle.point : particle.best;
    std::vector<double> to = particle.point;
    for (std::size_t i = 0; i < to.size(); ++i) {
      double& speed = particle.speed[i];
      speed = inertia_ * speed + own_ * unit_below(random_) * (own[i] - to[i]);
      speed += social_ * unit_below(random_) * (all[i] - to[i]);
      speed = std::clamp(speed, -1.0, 1.0);
      to[i] += speed;
    }
    Row row = repaired(space_, cube_.row(to), particle.at, random_);
    if (ledger_.claim(row)) return row;
    return claim_near(ledger_, space_, row, random_);
  }

  const SearchSpace& space_;
  const UnitCube cube_;
  Ledger ledger_;
  std::mt19937_64 random_;
  std::vector<Particle> particles_;
  const double inertia_, own_, social_;
  std::size_t turn_ = 0;
  std::map<Row, std::size_t> waiting_;  // by proposal: the particle
};

}  // namespace

StrategyEntry particle_swarm_strategy() {
  return {"particle_swarm",
          "particle swarm on value positions, repaired to legal configurations",
          {{"particles", "of the swarm", 30, 1, 1e5, true, {}},
           {"inertia", "share of its speed that a particle keeps", 0.1, 0, 1, false, {}},
           {"own", "pull of the best place that the particle has seen", 2.5, 0, 10, false, {}},
           {"social", "pull of the best place that all have seen", 2, 0, 10, false, {}}},
          [](const SearchSpace& space, std::uint64_t seed, const StrategyOptions& options) {
            return std::make_unique<ParticleSwarm>(space, seed, options);
          }};
}

}  // namespace attune
