// What both sides do around their instance: the arguments of this call, and a refusal where the instance cannot do them.
#include <kforge_runner_gpu.hpp>

#include "ck/ck.hpp"
#include "ck/tensor_operation/gpu/device/impl/device_softmax_impl.hpp"
#include "ck/tensor_operation/gpu/element/element_wise_operation.hpp"

using PassThrough = ck::tensor_operation::element_wise::PassThrough;

// Block size; threads of a block along rows and along columns; rows and columns of one thread; elements of one load and of one store.
template <int BLOCK, int ROW_THREADS, int COLUMN_THREADS, int ROWS, int COLUMNS, int LOAD, int STORE>
using Softmax = ck::tensor_operation::device::DeviceSoftmaxImpl<float, float, float, PassThrough, PassThrough, 2, 1, BLOCK, ROW_THREADS,
                                                                COLUMN_THREADS, ROWS, COLUMNS, 1, LOAD, STORE>;

template <typename Instance>
void softmax(const kforge::Call& call) {
  const auto rows = static_cast<ck::index_t>(call.param("rows")), cols = static_cast<ck::index_t>(call.param("cols"));
  Instance instance;
  const auto argument = instance.MakeArgumentPointer({rows, cols}, {cols, 1}, {1}, 1.0, 0.0, call.input<float>("x").data(),
                                                     call.output<float>("y").data(), PassThrough{}, PassThrough{});
  if (!instance.IsSupportedArgument(argument.get())) throw std::runtime_error(instance.GetTypeString() + " does not take this case");
  instance.MakeInvokerPointer()->Run(argument.get(), StreamConfig{call.stream(), false});
}
