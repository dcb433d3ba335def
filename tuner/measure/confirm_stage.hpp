// The stage between screen and final: the search's best are sampled again, at several moments, so that none is among
// the finalists by luck and none is missing by bad luck. Each visit is to the better half of those before (successive
// halving: Karnin, Koren and Somekh, ICML 2013), until no more are left than finalists, and at least two are made.
// Pure: the caller takes the samples, this says of whom, and who stays.
#pragma once

#include <span>
#include <vector>

#include "measure/protocol.hpp"

namespace attune {

// Whom to confirm, best first: by screening scores, those within protocol.confirm_ratio of the best, at most
// confirm_most, and no more than visits of confirm_seconds in all allow, with samples that take `sample_ns` each.
// Nobody when no more are left than there are finalists: the final stage compares them all.
std::vector<std::size_t> to_confirm(std::span<const double> screen_scores, std::span<const double> sample_ns,
                                    const Protocol& protocol);

// ratios[c]: each of a sample to one of the reference taken just before, of what was confirmed: those of all visits.
using Confirmations = std::vector<std::vector<double>>;

// By ascending median. One without samples is out. Nothing else is dropped for its samples: they are few at first, the
// best of many is best by luck, and an interval beside it proves nothing.
std::vector<std::size_t> by_confirmation(const Confirmations& ratios);

// To how many, best first, the next visit is, when the one that ends, number `visit` from 0, left so many with samples;
// 0: to nobody, that was the last one.
std::size_t next_visit(int visit, std::size_t visited, const Protocol& protocol);

}  // namespace attune
