// SPDX-License-Identifier: Apache-2.0
// MPI, OpenMP and OpenSHMEM.
#if !defined(CUBINET_HOST_PARALLEL_H) && __cplusplus >= 201402L
#define CUBINET_HOST_PARALLEL_H

#include "cubinet_host/functions.h"

typedef struct ompi_communicator_t *MPI_Comm;
typedef struct ompi_datatype_t *MPI_Datatype;
typedef struct ompi_request_t *MPI_Request;
typedef struct ompi_op_t *MPI_Op;
typedef struct ompi_win_t *MPI_Win;
typedef struct ompi_group_t *MPI_Group;
typedef struct ompi_info_t *MPI_Info;
typedef struct ompi_file_t *MPI_File;
typedef long MPI_Aint;
typedef long MPI_Offset;
typedef struct {
    int MPI_SOURCE;
    int MPI_TAG;
    int MPI_ERROR;
    int __cancelled;
    size_t __count;
} MPI_Status;

#define MPI_COMM_WORLD (static_cast<MPI_Comm>(nullptr))
#define MPI_SUCCESS    0

typedef int omp_lock_t;
typedef struct {
    int __words[4];
} omp_nest_lock_t;
_CUBINET_HOST_FUNCTION(omp_get_max_threads)
_CUBINET_HOST_FUNCTION(omp_get_num_procs)
_CUBINET_HOST_FUNCTION(omp_get_num_threads)
_CUBINET_HOST_FUNCTION(omp_get_thread_num)
_CUBINET_HOST_FUNCTION(omp_get_wtime)
_CUBINET_HOST_FUNCTION(omp_set_num_threads)

#endif
