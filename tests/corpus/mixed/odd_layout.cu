#include "check.h"
#include <vector>
/*K&R*/template<class T>struct S{T v;__device__ T get()const{return v;}std::vector<T>h()const{return{v};}};__global__ void k(S<int>s,int*x){x[threadIdx.x]=s.get();}static int f(int a){return a;}template<class T>__global__ void g(T*x){x[threadIdx.x]*=2;}template<class T>void go(T*x){g<<<1,32>>>(x);}int main(){int*x;CHECK(cudaMallocManaged(&x,128));k<<<1,32>>>(S<int>{f(4)},x);go(x);CHECK(cudaDeviceSynchronize());return verdict("one line",x[3]==8&&S<int>{1}.h().size()==1);}
	__global__
	
	void
	
	/* comment { */ spread // }
	(
	int
	*
	x
	)
	;
void spread_host
( ) { }    static    __device__    int   tabs	(	int	a	)	{	return	a	;	}
struct
E
{
}
;
#define EMPTY
EMPTY __global__ EMPTY void EMPTY spread EMPTY ( EMPTY int EMPTY * EMPTY x EMPTY ) EMPTY { EMPTY * x = tabs ( 1 ) EMPTY ; EMPTY } EMPTY ; ; ;
