// SourceKey: that part of image keys which depends on the source, hashed once for many requests. Immutable; any thread.
#pragma once

#include <string>
#include <string_view>

#include "base/digest.hpp"
#include "core/image.hpp"

namespace attune {

class SourceKey {
 public:
  // `additions`: as for ImageRequest::key().
  SourceKey(std::string_view additions, const SourceText& source);
  // Returns ImageRequest::key() of the request with this source, whatever the request's own source is.
  std::string key_of(const ImageRequest& request) const;

 private:
  Digest begun_;
};

}  // namespace attune
