// cuSPARSE: y = A x of a matrix in CSR, by the faster of its two algorithms, each after its preprocessing, which is not
// timed.
//
// Preprocessing fills a buffer that belongs to one descriptor and to its row offsets and columns. Values, x and y may
// change (the documentation of cusparseSpMV_preprocess). So there is a descriptor for each place of a matrix. It is
// made where the place is seen first: in the check before all samples, or while a stream is recorded. Neither is timed.
#include <cusparse.h>

#include <map>
#include <memory>
#include <tuple>

#include "fastest.hpp"
#include "peer.hpp"
#include "table.hpp"

namespace attune::peers {
namespace {

using peers::check;

void check(cusparseStatus_t status, const char* what) {
  if (status != CUSPARSE_STATUS_SUCCESS) throw Failed(std::string(what) + ": " + cusparseGetErrorString(status));
}

using SparseHandle = Owned<cusparseHandle_t, cusparseDestroy>;
using SparseMatrix = Owned<cusparseSpMatDescr_t, cusparseDestroySpMat>;
using Vector = Owned<cusparseDnVecDescr_t, cusparseDestroyDnVec>;

// While a stream is recorded, this thread may allocate, and wait for other streams.
class Relaxed {
 public:
  Relaxed() { check(cudaThreadExchangeStreamCaptureMode(&mode_), "cudaThreadExchangeStreamCaptureMode"); }
  Relaxed(const Relaxed&) = delete;
  Relaxed& operator=(const Relaxed&) = delete;
  ~Relaxed() { cudaThreadExchangeStreamCaptureMode(&mode_); }

 private:
  cudaStreamCaptureMode mode_ = cudaStreamCaptureModeRelaxed;
};

template <typename T>
class SpmvWork final : public Work {
 public:
  SpmvWork(cudaDataType type, long long rows, long long columns, long long nonzeros)
      : type_(type), rows_(rows), columns_(columns), nonzeros_(nonzeros) {
    check(cusparseCreate(handle_.to_make()), "cusparseCreate");
  }

  void enqueue(const Call& call, cudaStream_t stream) override {
    const Place place{call.array<int>("offsets"), call.array<int>("columns_of"), call.array<T>("values")};
    T* const x = call.array<T>("x");
    T* const y = call.array<T>("y");
    std::unique_ptr<Prepared>& known = prepared_[place];
    if (known == nullptr) {
      const Relaxed relaxed;
      make_vectors(x, y);
      check(cudaStreamSynchronize(cudaStreamLegacy), "waiting for the matrix");
      if (prepared_.size() == 1) choose(place);
      known = std::make_unique<Prepared>(*this, place, algorithm_, own_stream_);
      check(cudaStreamSynchronize(own_stream_), "cusparseSpMV_preprocess");
    }
    check(cusparseDnVecSetValues(x_, x), "cusparseDnVecSetValues");
    check(cusparseDnVecSetValues(y_, y), "cusparseDnVecSetValues");
    check(run(*known, algorithm_, stream), "cusparseSpMV");
  }

 private:
  using Place = std::tuple<int*, int*, T*>;

  // A matrix at one place, with what the preprocessing of one algorithm has found.
  struct Prepared {
    Prepared(SpmvWork& work, const Place& place, cusparseSpMVAlg_t algorithm, cudaStream_t stream) {
      const auto [offsets, columns, values] = place;
      check(cusparseCreateCsr(matrix.to_make(), work.rows_, work.columns_, work.nonzeros_, offsets, columns, values,
                              CUSPARSE_INDEX_32I, CUSPARSE_INDEX_32I, CUSPARSE_INDEX_BASE_ZERO, work.type_),
            "cusparseCreateCsr");
      std::size_t bytes = 0;
      check(cusparseSetStream(work.handle_, stream), "cusparseSetStream");
      check(cusparseSpMV_bufferSize(work.handle_, CUSPARSE_OPERATION_NON_TRANSPOSE, &work.one_, matrix, work.x_,
                                    &work.none_, work.y_, work.type_, algorithm, &bytes),
            "cusparseSpMV_bufferSize");
      buffer = std::make_unique<TemporaryMemory>(bytes);
      check(cusparseSpMV_preprocess(work.handle_, CUSPARSE_OPERATION_NON_TRANSPOSE, &work.one_, matrix, work.x_,
                                    &work.none_, work.y_, work.type_, algorithm, buffer->data()),
            "cusparseSpMV_preprocess");
    }
    SparseMatrix matrix;
    std::unique_ptr<TemporaryMemory> buffer;
  };

  // With the vectors that were set last.
  cusparseStatus_t run(const Prepared& prepared, cusparseSpMVAlg_t algorithm, cudaStream_t stream) {
    check(cusparseSetStream(handle_, stream), "cusparseSetStream");
    return cusparseSpMV(handle_, CUSPARSE_OPERATION_NON_TRANSPOSE, &one_, prepared.matrix, x_, &none_, y_, type_,
                        algorithm, prepared.buffer->data());
  }

  void make_vectors(T* x, T* y) {
    if (x_ != nullptr) return;
    check(cusparseCreateDnVec(x_.to_make(), columns_, x, type_), "cusparseCreateDnVec");
    check(cusparseCreateDnVec(y_.to_make(), rows_, y, type_), "cusparseCreateDnVec");
  }

  // With the data of the first call: what is faster depends on the matrix.
  void choose(const Place& place) {
    std::map<cusparseSpMVAlg_t, std::unique_ptr<Prepared>> by_algorithm;
    for (const cusparseSpMVAlg_t algorithm : {CUSPARSE_SPMV_CSR_ALG1, CUSPARSE_SPMV_CSR_ALG2})
      by_algorithm[algorithm] = std::make_unique<Prepared>(*this, place, algorithm, own_stream_);
    algorithm_ = fastest(std::vector{CUSPARSE_SPMV_CSR_ALG1, CUSPARSE_SPMV_CSR_ALG2}, own_stream_,
                         [&](cusparseSpMVAlg_t algorithm) {
                           return run(*by_algorithm[algorithm], algorithm, own_stream_) == CUSPARSE_STATUS_SUCCESS;
                         });
  }

  const cudaDataType type_;
  const long long rows_, columns_, nonzeros_;
  const T one_ = 1, none_ = 0;
  const Stream own_stream_;
  SparseHandle handle_;
  Vector x_, y_;
  cusparseSpMVAlg_t algorithm_ = CUSPARSE_SPMV_CSR_ALG2;
  std::map<Place, std::unique_ptr<Prepared>> prepared_;
};

std::unique_ptr<Work> spmv(const Call& call) {
  if (call.text("O") != "int32") throw Declined("it takes offsets and columns of one type, here of 32 bits");
  const long long rows = call.size("rows"), columns = call.size("columns"), nonzeros = call.size("nonzeros");
  if (call.text("T") == "double") return std::make_unique<SpmvWork<double>>(CUDA_R_64F, rows, columns, nonzeros);
  return std::make_unique<SpmvWork<float>>(CUDA_R_32F, rows, columns, nonzeros);
}

}  // namespace

std::vector<Peer> cusparse() { return {peer<spmv>("spmv", "cusparse")}; }

}  // namespace attune::peers
