// POSIX: getopt, pthreads, sys/time, unistd, mmap, signals, directories, dlfcn.
#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <getopt.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <sys/types.h>
#include <time.h>
#include <unistd.h>
#include <cuda_runtime.h>

#define GPU_CHECK(x) do { cudaError_t e = (x); if (e) { fprintf(stderr, "%s:%d %s\n", __func__, __LINE__, cudaGetErrorString(e)); _exit(2); } } while (0)

typedef struct { pthread_t thread; pthread_mutex_t *lock; int first, last; FILE *log; float *x; } job_t;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static volatile sig_atomic_t interrupted;
static struct timeval started;
static void on_signal(int) { interrupted = 1; }
double seconds(void) { struct timeval t; gettimeofday(&t, NULL); return (t.tv_sec - started.tv_sec) + 1e-6 * (t.tv_usec - started.tv_usec); }

__global__ void halve(float *x, int first, int last)
{
  for (int i = first + threadIdx.x; i < last; i += blockDim.x)
    x[i] *= 0.5f;
}

static void *work(void *arg)
{
  job_t *job = (job_t *)arg;
  pthread_mutex_lock(job->lock);
  halve<<<1, 64>>>(job->x, job->first, job->last);
  pthread_mutex_unlock(job->lock);
  return NULL;
}

static size_t file_size(const char *path) { struct stat s; return stat(path, &s) ? 0 : (size_t)s.st_size; }

int main(int argc, char *const argv[])
{
  static const struct option options[] = {{"threads", required_argument, NULL, 't'}, {NULL, 0, NULL, 0}};
  int threads = 4, c, wrong = 0;
  while ((c = getopt_long(argc, argv, "t:", options, NULL)) != -1)
    switch (c) { case 't': threads = atoi(optarg); break; default: return 2; }
  struct sigaction action = {};
  action.sa_handler = on_signal;
  sigaction(SIGINT, &action, NULL);
  gettimeofday(&started, NULL);
  float *x;
  GPU_CHECK(cudaMallocManaged(&x, threads * 100 * sizeof *x));
  for (int i = 0; i < threads * 100; i++) x[i] = 2 * i;
  job_t *jobs = (job_t *)calloc(threads, sizeof *jobs);
  for (int t = 0; t < threads; t++) {
    job_t job = {0, &lock, t * 100, (t + 1) * 100, stderr, x};
    jobs[t] = job;
    pthread_create(&jobs[t].thread, NULL, work, &jobs[t]);
  }
  for (int t = 0; t < threads; t++) pthread_join(jobs[t].thread, NULL);
  GPU_CHECK(cudaDeviceSynchronize());
  for (int i = 0; i < threads * 100; i++) wrong += x[i] != i;
  printf("%d wrong of %d in %.3f s%s, pid %ld, %zu bytes\n", wrong, threads * 100, seconds(), interrupted ? "!" : "", (long)getpid(), file_size(argv[0]));
  return strcasecmp("Yes", "yES") || wrong ? EXIT_FAILURE : EXIT_SUCCESS;
}
