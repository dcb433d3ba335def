! attune for Fortran: what attune.h declares, as far as the example needs it. Others follow the same pattern.
module attune
  use, intrinsic :: iso_c_binding
  implicit none

  integer(c_int), parameter :: attune_ok = 0, attune_usage_error = 1, attune_policy_wait = 0
  integer(c_int), parameter :: attune_int64 = 5, attune_float = 10
  integer(c_int), parameter :: attune_array = 0, attune_const_array = 1, attune_scalar = 2

  type, bind(c) :: attune_argument
    integer(c_int) :: kind, type
    type(c_ptr) :: value
    integer(c_int64_t) :: count
  end type

  type, bind(c) :: attune_problem_value
    type(c_ptr) :: name, text
    integer(c_int64_t) :: integer
  end type

  type, bind(c) :: attune_problem
    type(c_ptr) :: values
    integer(c_size_t) :: count
  end type

  interface
    integer(c_int) function attune_dispatcher_make(options, dispatcher) bind(c)
      import
      type(c_ptr), value :: options
      type(c_ptr), intent(out) :: dispatcher
    end function
    integer(c_int) function attune_dispatcher_add_path(dispatcher, path) bind(c)
      import
      type(c_ptr), value :: dispatcher
      character(kind=c_char), intent(in) :: path(*)
    end function
    integer(c_int) function attune_dispatcher_synchronize(dispatcher, stream) bind(c)
      import
      type(c_ptr), value :: dispatcher, stream
    end function
    subroutine attune_dispatcher_destroy(dispatcher) bind(c)
      import
      type(c_ptr), value :: dispatcher
    end subroutine
    integer(c_int) function attune_plan_make(dispatcher, kernel, problem, policy, plan) bind(c)
      import
      type(c_ptr), value :: dispatcher
      character(kind=c_char), intent(in) :: kernel(*)
      type(attune_problem), intent(in) :: problem
      integer(c_int), value :: policy
      type(c_ptr), intent(out) :: plan
    end function
    integer(c_int) function attune_plan_launch(plan, stream, arguments, count) bind(c)
      import
      type(c_ptr), value :: plan, stream
      type(attune_argument), intent(in) :: arguments(*)
      integer(c_size_t), value :: count
    end function
    subroutine attune_plan_destroy(plan) bind(c)
      import
      type(c_ptr), value :: plan
    end subroutine
    integer(c_int) function attune_buffer_make(dispatcher, bytes, buffer) bind(c)
      import
      type(c_ptr), value :: dispatcher
      integer(c_size_t), value :: bytes
      type(c_ptr), intent(out) :: buffer
    end function
    integer(c_int) function attune_buffer_data(buffer, data) bind(c)
      import
      type(c_ptr), value :: buffer
      type(c_ptr), intent(out) :: data
    end function
    integer(c_int) function attune_buffer_copy_in(buffer, host, bytes, stream) bind(c)
      import
      type(c_ptr), value :: buffer, host, stream
      integer(c_size_t), value :: bytes
    end function
    integer(c_int) function attune_buffer_copy_out(buffer, host, bytes, stream) bind(c)
      import
      type(c_ptr), value :: buffer, host, stream
      integer(c_size_t), value :: bytes
    end function
    subroutine attune_buffer_destroy(buffer) bind(c)
      import
      type(c_ptr), value :: buffer
    end subroutine
    type(c_ptr) function attune_last_error_text() bind(c, name="attune_last_error")
      import
    end function
    integer(c_size_t) function c_length(text) bind(c, name="strlen")
      import
      type(c_ptr), value :: text
    end function
  end interface

contains

  ! What the last call that failed on this thread says.
  function attune_last_error() result(text)
    character(:), allocatable :: text
    character(kind=c_char), pointer :: bytes(:)
    type(c_ptr) :: message
    integer :: i
    message = attune_last_error_text()
    call c_f_pointer(message, bytes, [c_length(message)])
    allocate(character(size(bytes)) :: text)
    do i = 1, size(bytes)
      text(i:i) = bytes(i)
    end do
  end function

end module
