// A step of a chain: what it prepares by itself may overlap the end of the step before it.
extern "C" __global__ void step(unsigned *value, unsigned nanoseconds)
{
    asm volatile("griddepcontrol.launch_dependents;");
    unsigned long long start, time;
    asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(start));
    do {
        asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(time));
    } while (time - start < nanoseconds);
    asm volatile("griddepcontrol.wait;" ::: "memory");
    if (threadIdx.x == 0) {
        atomicAdd(value, 1);
    }
}
