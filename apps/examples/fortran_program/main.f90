! Plans and launches a kernel from Fortran: the bundle of smooth.cu is a file, made by `attune-embed smooth.cu --output
! smooth.bundle` and named on the command line. ATTUNE_DEVICE=host runs it without a GPU.
program fortran_program
  use attune
  implicit none
  integer(c_int64_t), target :: n = 100000
  real(c_float), allocatable, target :: host(:), result(:)
  character(kind=c_char), target :: name_n(2) = ["n", c_null_char], name_t(2) = ["T", c_null_char]
  character(kind=c_char), target :: text_float(6) = ["f", "l", "o", "a", "t", c_null_char]
  type(attune_problem_value), target :: values(2)
  type(attune_argument) :: arguments(3)
  type(c_ptr) :: gpu, plan, in, out, in_data, out_data
  integer(c_size_t) :: bytes
  character(4096) :: path
  integer(c_int64_t) :: i
  real(c_float) :: left, right

  call get_command_argument(1, path)
  allocate(host(n), result(n))
  do i = 1, n
    host(i) = real(mod(i * i, 1000_c_int64_t), c_float)
  end do
  bytes = n * 4

  call check(attune_dispatcher_make(c_null_ptr, gpu))
  call check(attune_dispatcher_add_path(gpu, trim(path) // c_null_char))
  call check(attune_buffer_make(gpu, bytes, in))
  call check(attune_buffer_make(gpu, bytes, out))
  call check(attune_buffer_copy_in(in, c_loc(host), bytes, c_null_ptr))
  call check(attune_buffer_data(in, in_data))
  call check(attune_buffer_data(out, out_data))

  values(1) = attune_problem_value(c_loc(name_n), c_null_ptr, n)
  values(2) = attune_problem_value(c_loc(name_t), c_loc(text_float), 0)
  call check(attune_plan_make(gpu, "smooth" // c_null_char, attune_problem(c_loc(values), 2_c_size_t), &
                              attune_policy_wait, plan))
  arguments(1) = attune_argument(attune_array, attune_float, out_data, n)
  arguments(2) = attune_argument(attune_const_array, attune_float, in_data, n)
  arguments(3) = attune_argument(attune_scalar, attune_int64, c_loc(n), 1)
  call check(attune_plan_launch(plan, c_null_ptr, arguments, 3_c_size_t))
  call check(attune_dispatcher_synchronize(gpu, c_null_ptr))
  call check(attune_buffer_copy_out(out, c_loc(result), bytes, c_null_ptr))

  if (attune_plan_launch(plan, c_null_ptr, arguments, 2_c_size_t) /= attune_usage_error) error stop "2 arguments of 3 passed"
  print '(a)', attune_last_error()
  call attune_plan_destroy(plan)
  call attune_buffer_destroy(in)
  call attune_buffer_destroy(out)
  call attune_dispatcher_destroy(gpu)

  do i = 1, n
    left = host(max(i - 1, 1_c_int64_t))
    right = host(min(i + 1, n))
    if (result(i) /= (left + 2 * host(i) + right) / 4) error stop "WRONG"
  end do
  print '(i0, a)', n, " floats: correct"

contains

  subroutine check(status)
    integer(c_int), intent(in) :: status
    if (status == attune_ok) return
    print '(a)', "fortran_program: " // attune_last_error()
    error stop 1
  end subroutine

end program
