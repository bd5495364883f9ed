// Breadth-first search: host queues check what the kernel finds; structs of arrays, std::pair, structured bindings.
#include "check.h"
#include <algorithm>
#include <limits>
#include <numeric>
#include <queue>
#include <random>
#include <tuple>
#include <utility>
#include <vector>

struct Graph {
  std::vector<int> offsets, edges;
  int nodes() const { return static_cast<int>(offsets.size()) - 1; }
  static Graph ring_with_chords(int n, unsigned seed)
  {
    std::vector<std::pair<int, int>> list;
    std::mt19937 engine{seed};
    for (int i = 0; i < n; i++) {
      list.emplace_back(i, (i + 1) % n);
      if (engine() % 4 == 0) list.push_back({i, int(engine() % n)});
    }
    std::sort(list.begin(), list.end(), [](const auto &a, const auto &b) { return std::tie(a.first, a.second) < std::tie(b.first, b.second); });
    Graph g{std::vector<int>(n + 1), {}};
    for (auto [from, to] : list) { g.offsets[from + 1]++; g.edges.push_back(to); }
    std::partial_sum(g.offsets.begin(), g.offsets.end(), g.offsets.begin());
    return g;
  }
};

struct device_graph { const int *offsets, *edges; int n; };
template <class T> T *upload(const std::vector<T> &v) { T *p; CHECK(cudaMalloc(&p, v.size() * sizeof(T))); CHECK(cudaMemcpy(p, v.data(), v.size() * sizeof(T), cudaMemcpyHostToDevice)); return p; }
static const int unreached = std::numeric_limits<int>::max();

__global__ void expand(device_graph g, int *distance, int level, int *changed, int none)
{
  int node = blockIdx.x * blockDim.x + threadIdx.x;
  if (node >= g.n || distance[node] != level)
    return;
  for (int e = g.offsets[node]; e < g.offsets[node + 1]; e++)
    if (int to = g.edges[e]; distance[to] == none) {
      distance[to] = level + 1;
      *changed = 1;
    }
}

static std::vector<int> reference(const Graph &g)
{
  std::vector<int> distance(g.nodes(), unreached);
  std::queue<int> queue;
  for (distance[0] = 0, queue.push(0); !queue.empty(); queue.pop())
    for (int e = g.offsets[queue.front()]; e < g.offsets[queue.front() + 1]; e++)
      if (distance[g.edges[e]] == unreached) { distance[g.edges[e]] = distance[queue.front()] + 1; queue.push(g.edges[e]); }
  return distance;
}

int main()
{
  Graph g = Graph::ring_with_chords(5000, 3);
  device_graph d{upload(g.offsets), upload(g.edges), g.nodes()};
  int *distance, *changed;
  CHECK(cudaMallocManaged(&distance, d.n * sizeof *distance)); CHECK(cudaMallocManaged(&changed, sizeof *changed));
  std::fill_n(distance, d.n, unreached);
  distance[0] = 0;
  *changed = 1;
  for (int level = 0; *changed; level++) {
    *changed = 0;
    expand<<<(d.n + 127) / 128, 128>>>(d, distance, level, changed, unreached);
    CHECK(cudaDeviceSynchronize());
  }
  auto want = reference(g);
  return verdict("search", std::equal(want.begin(), want.end(), distance));
}
