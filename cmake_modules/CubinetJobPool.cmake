# JOB_POOL and JOB_MEMORY: how many compiles run at once. Ninja has pools of jobs; other generators ignore them.
include_guard(GLOBAL)

# Turns the caller's JOB_MEMORY into a JOB_POOL with as many jobs as this machine has memory for.
macro(_cubinet_size_job_pool)
  if(DEFINED arg_JOB_MEMORY)
    if(DEFINED arg_JOB_POOL)
      _cubinet_fail("${call}" "JOB_POOL and JOB_MEMORY. Each decides how many compiles run at once: leave one of them out")
    elseif(NOT arg_JOB_MEMORY MATCHES "^[1-9][0-9]*$")
      _cubinet_fail("${call}" "JOB_MEMORY '${arg_JOB_MEMORY}' is not a number of megabytes. Write what one compile needs, such "
        "as 4000")
    endif()
    set(arg_JOB_POOL "cubinet_${arg_JOB_MEMORY}_mb")
    _cubinet_make_job_pool("${arg_JOB_POOL}" "${arg_JOB_MEMORY}")
  endif()
endmacro()

function(_cubinet_make_job_pool pool megabytes_each)
  _cubinet_job_pools(pools)
  cmake_host_system_information(RESULT megabytes QUERY TOTAL_PHYSICAL_MEMORY)
  math(EXPR jobs "${megabytes} / ${megabytes_each}")
  if(jobs EQUAL 0)
    set(jobs 1)
  endif()
  list(FILTER pools EXCLUDE REGEX "^${pool}=")
  set_property(GLOBAL PROPERTY JOB_POOLS "${pools};${pool}=${jobs}")
endfunction()

# The pools that the build has, as "NAME=JOBS": those of the property, or else those of the variable.
function(_cubinet_job_pools out_pools)
  get_property(pools GLOBAL PROPERTY JOB_POOLS)
  if(NOT pools)
    set(pools "${CMAKE_JOB_POOLS}")
  endif()
  set(${out_pools} "${pools}" PARENT_SCOPE)
endfunction()

# The module's own pool, or its archive's.
function(_cubinet_module_job_pool out_pool archive pool)
  if(pool STREQUAL "")
    get_property(pool TARGET "${archive}" PROPERTY CUBINET_JOB_POOL)
  else()
    set_property(TARGET "${archive}" APPEND PROPERTY CUBINET_MODULE_JOB_POOLS "${pool}")
  endif()
  set(${out_pool} "${pool}" PARENT_SCOPE)
endfunction()

# Runs when everything about the archive is known. Ninja itself would report a missing pool, but not the call that names
# it.
function(_cubinet_check_job_pools archive)
  _cubinet_job_pools(pools)
  list(TRANSFORM pools REPLACE "=.*" "")
  get_property(archive_pool TARGET "${archive}" PROPERTY CUBINET_JOB_POOL)
  get_property(module_pools TARGET "${archive}" PROPERTY CUBINET_MODULE_JOB_POOLS)
  foreach(pool IN LISTS archive_pool module_pools)
    if(CMAKE_GENERATOR MATCHES "Ninja" AND NOT pool IN_LIST pools AND NOT pool STREQUAL "console")
      _cubinet_fail("cubinet_add_archive(${archive})" "there is no JOB_POOL '${pool}'. Make it with "
        "set_property(GLOBAL APPEND PROPERTY JOB_POOLS ${pool}=2)")
    endif()
  endforeach()
endfunction()
