// SPDX-License-Identifier: Apache-2.0
// Puts one picture over another, with its alpha.
extern "C" {

__global__ void Overlay_Cuda(int x_position, int y_position, unsigned char *main, int main_linesize, int main_w, int main_h,
                             const unsigned char *overlay, int overlay_linesize, int overlay_w, int overlay_h,
                             const unsigned char *overlay_alpha, int alpha_linesize)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y * blockDim.y + threadIdx.y;
    int ox = x - x_position;
    int oy = y - y_position;
    if (x >= main_w || y >= main_h || ox < 0 || oy < 0 || ox >= overlay_w || oy >= overlay_h) {
        return;
    }
    float alpha = overlay_alpha[ox + oy * alpha_linesize] / 255.0f;
    unsigned char *dst = main + x + y * main_linesize;
    *dst = static_cast<unsigned char>(alpha * overlay[ox + oy * overlay_linesize] + (1.0f - alpha) * *dst + 0.5f);
}
}
