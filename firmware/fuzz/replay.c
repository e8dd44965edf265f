/* SPDX-License-Identifier: Apache-2.0 */
/* Run the fuzzer's target on the given files, without a fuzzer, to measure their coverage. */
#include <stdint.h>
#include <stdio.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int main(int count, char **words)
{
    static uint8_t data[1 << 16];
    for (int i = 1; i < count; i++) {
        FILE *file = fopen(words[i], "rb");
        if (file == NULL) {
            perror(words[i]);
            return 2;
        }
        size_t size = fread(data, 1, sizeof data, file);
        (void)fclose(file);
        (void)LLVMFuzzerTestOneInput(data, size);
    }
    return 0;
}
