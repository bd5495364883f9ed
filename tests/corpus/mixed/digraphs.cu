// Digraphs, alternative tokens, splices in the middle of names.
%:include "check.h"
%:include <vector>

#define GLUE(a, b) a %:%: b

__glo\
bal__ void spl\
iced(int *x, int n)
<%
  int i = threadIdx.x;
  if (i < n and not (i bitand 1))
    x<:i:> = compl i;
  else if (i < n)
    x<:i:> or_eq 256;
%>

static int host_function(const std::vector<int> bitand v) <% return v<:0:> xor 1; %>
int GLUE(ma, in)()
<%
  int *x;
  CHECK(cudaMallocManaged(&x, 64 * sizeof(int)));
  for (int i = 0; i < 64; i++)
    x<:i:> = i;
  spliced<\
<<1, 64>>\
>(x, 64);
  CHECK(cudaDeviceSynchronize());
  bool right = host_function(<%3, 4%>) == 2;
  for (int i = 0; i < 64; i++)
    right = right and x[i] == (i & 1 ? (i | 256) : ~i);
  return verdict("digraphs", right);
%>
