// SPDX-License-Identifier: Apache-2.0
// Edges of a grey picture by Sobel's operator, four pixels a thread. Beyond the picture's edge is the edge.
// Columns are a multiple of four.
__device__ int pixel(const unsigned char *in, int x, int y, int columns, int rows)
{
    x = min(max(x, 0), columns - 1);
    y = min(max(y, 0), rows - 1);
    return in[static_cast<long long>(y) * columns + x];
}

extern "C" __global__ void sobel(const unsigned char *in, uchar4 *out, int columns, int rows)
{
    const int first = 4 * (blockIdx.x * blockDim.x + threadIdx.x);
    const int y = blockIdx.y * blockDim.y + threadIdx.y;
    if (first >= columns || y >= rows) {
        return;
    }
    // Sums down each column, weighted 1 2 1 and 1 0 -1, for the six columns that four pixels need.
    int smooth[6];
    int slope[6];
    for (int i = 0; i < 6; i++) {
        const int above = pixel(in, first + i - 1, y - 1, columns, rows);
        const int level = pixel(in, first + i - 1, y, columns, rows);
        const int under = pixel(in, first + i - 1, y + 1, columns, rows);
        smooth[i] = above + 2 * level + under;
        slope[i] = under - above;
    }
    unsigned char edge[4];
    for (int i = 0; i < 4; i++) {
        const int across = smooth[i + 2] - smooth[i];
        const int down = slope[i] + 2 * slope[i + 1] + slope[i + 2];
        edge[i] = static_cast<unsigned char>(min((abs(across) + abs(down)) / 4, 255));
    }
    out[(static_cast<long long>(y) * columns + first) / 4] = make_uchar4(edge[0], edge[1], edge[2], edge[3]);
}
