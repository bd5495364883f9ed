/* A C programmer's file: K&R layout, declarations in one place, structs without typedef, macros for main. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <math.h>

#define N 512
#define BLOCK 64
#define MAIN int main(int argc, char *argv[]) {
#define END_MAIN return wrong != 0; }
#define FOR(i, n) for (int i = 0; i < (n); i++)
#define BEGIN {
#define END }

struct point { float x, y; };
struct point *points, *d_points;
enum phase { FIRST, SECOND } phase = FIRST;
int cmp(const void *, const void *), wrong;
static double norm2(struct point const *), (*length_of)(struct point const *) = norm2;
void usage(), copy_back(void);
char *progname = (char *) "c_style";

static double
norm2(struct point const *p)
{ return
	p->x*p->x
	+p->y*p->y; }

__global__
void
rotate(struct point *p, float c, float s,
       int n)
BEGIN
	int i = blockIdx.x*blockDim.x+threadIdx.x; if(i>=n)return;
	struct point q = p[i];
	p[i].x = c*q.x-s*q.y; p[i].y = s*q.x+c*q.y;
END

void usage()
  { fprintf(stderr, "usage: %s\n", progname), exit(2); }

int cmp(const void *a, const void *b) BEGIN
	double x = length_of((struct point *)a), y = length_of((struct point *)b); return x<y?-1:x>y;
END

void copy_back(void) { if (cudaMemcpy(points,d_points,N*sizeof*points,cudaMemcpyDeviceToHost)) { fputs("copy\n",stderr); exit(2); } }

MAIN
	double before[N]; if(argc>2) usage();
	points=(struct point*)malloc(N*sizeof*points);
	FOR(i,N) { points[i].x=i; points[i].y=-i/2.; before[i]=norm2(points+i); }
	if (cudaMalloc((void**)&d_points,N*sizeof*points)!=cudaSuccess) return 2;
	cudaMemcpy(d_points,points,N*sizeof*points,cudaMemcpyHostToDevice);
	rotate<<<N/BLOCK,BLOCK>>>(d_points,0.6f,0.8f,N); phase=SECOND;
	copy_back();
	FOR(i,N) if (fabs(before[i]-norm2(points+i))>1e-3*(before[i]+1)) wrong++;
	qsort(points,N,sizeof*points,cmp);
	printf("%d wrong in phase %d\n",wrong,phase);
END_MAIN
