/* SPDX-License-Identifier: Apache-2.0 */
/* Monocypher, and two of its loops cut into steps with its own field arithmetic: crypto_x25519 is a single loop of 1.3
   million instructions, and a turn of a board's main loop must end in 22 ms. */
#include "curve.h"

#include "frame.h"

/* What is not used here, and wants more of the stack, is dropped by the linker. Conversions are its authors' matter. */
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wconversion"
#ifndef __clang__
#pragma GCC diagnostic ignored "-Wstack-usage="
#endif
#define BLAKE2_NO_UNROLLING
#include "monocypher.c"
#pragma GCC diagnostic pop

const uint8_t curve_base[SEAL_KEY] = {9U};

enum { X1, X2, Z2, X3, Z3 };
enum { PX, PY, PZ, PT };

void curve_begin(struct curve_work *work, const uint8_t *scalar, const uint8_t *point)
{
    crypto_eddsa_trim_scalar(work->scalar, scalar);
    fe_frombytes(work->field[X1], point);
    fe_1(work->field[X2]);
    fe_0(work->field[Z2]);
    fe_copy(work->field[X3], work->field[X1]);
    fe_1(work->field[Z3]);
    work->at = 254;
    work->swap = 0;
}

/* One bit: a differential addition and a doubling (RFC 7748, section 5). */
static void climb(struct curve_work *work)
{
    int32_t *x2 = work->field[X2];
    int32_t *z2 = work->field[Z2];
    int32_t *x3 = work->field[X3];
    int32_t *z3 = work->field[Z3];
    fe sum;
    fe difference;
    int32_t bit = scalar_bit(work->scalar, work->at);
    fe_cswap(x2, x3, work->swap ^ bit);
    fe_cswap(z2, z3, work->swap ^ bit);
    work->swap = bit;
    fe_sub(sum, x3, z3);
    fe_sub(difference, x2, z2);
    fe_add(x2, x2, z2);
    fe_add(z2, x3, z3);
    fe_mul(z3, sum, x2);
    fe_mul(z2, z2, difference);
    fe_sq(sum, difference);
    fe_sq(difference, x2);
    fe_add(x3, z3, z2);
    fe_sub(z2, z3, z2);
    fe_mul(x2, difference, sum);
    fe_sub(difference, difference, sum);
    fe_sq(z2, z2);
    fe_mul_small(z3, difference, 121666);
    fe_sq(x3, x3);
    fe_add(sum, sum, z3);
    fe_mul(z3, work->field[X1], z2);
    fe_mul(z2, difference, sum);
    work->at--;
}

bool curve_step(struct curve_work *work, uint32_t steps, uint8_t *out)
{
    for (uint32_t i = 0U; i < steps && work->at >= 0; i++) {
        climb(work);
    }
    if (work->at >= 0) {
        return false;
    }
    fe_cswap(work->field[X2], work->field[X3], work->swap);
    fe_cswap(work->field[Z2], work->field[Z3], work->swap);
    fe_invert(work->field[Z2], work->field[Z2]);
    fe_mul(work->field[X2], work->field[X2], work->field[Z2]);
    fe_tobytes(out, work->field[X2]);
    crypto_wipe(work, sizeof *work);
    return true;
}

static void point_out(struct curve_work *work, const ge *point)
{
    fe_copy(work->field[PX], point->X);
    fe_copy(work->field[PY], point->Y);
    fe_copy(work->field[PZ], point->Z);
    fe_copy(work->field[PT], point->T);
}

static void point_in(const struct curve_work *work, ge *point)
{
    fe_copy(point->X, work->field[PX]);
    fe_copy(point->Y, work->field[PY]);
    fe_copy(point->Z, work->field[PZ]);
    fe_copy(point->T, work->field[PT]);
}

/* Monocypher's combs want a scalar whose bits stand for 1 and -1: (scalar + 2^256 - 1) / 2 modulo the order. */
void curve_base_begin(struct curve_work *work, const uint8_t *scalar)
{
    static const uint8_t half[SEAL_KEY] = {247U, 233U, 122U, 46U, 141U, 49U, 9U, 44U, 107U, 206U, 123U,
                                           81U, 239U, 124U, 111U, 10U, [31] = 8U};
    static const uint8_t half_ones[SEAL_KEY] = {142U, 74U, 204U, 70U, 186U, 24U, 118U, 107U, 184U, 231U, 190U,
                                                57U, 250U, 173U, 119U, 99U, 255U, 255U, 255U, 255U, 255U, 255U,
                                                255U, 255U, 255U, 255U, 255U, 255U, 255U, 255U, 255U, 7U};
    ge point;
    crypto_eddsa_mul_add(work->scalar, scalar, half, half_ones);
    ge_zero(&point);
    point_out(work, &point);
    work->at = 31;
}

bool curve_base_step(struct curve_work *work, uint32_t turns, uint8_t *out)
{
    ge point;
    ge doubling;
    ge_precomp entry;
    fe one;
    fe other;
    point_in(work, &point);
    fe_1(entry.Yp);
    fe_1(entry.Ym);
    fe_0(entry.T2);
    for (uint32_t i = 0U; i < turns && work->at >= 0; i++) {
        if (work->at < 31) {
            ge_double(&point, &point, &doubling);
        }
        lookup_add(&point, &entry, one, other, b_comb_low, work->scalar, work->at);
        lookup_add(&point, &entry, one, other, b_comb_high, work->scalar, work->at + 128);
        work->at--;
    }
    bool done = work->at < 0;
    if (done) {
        ge_tobytes(out, &point);
        crypto_wipe(work, sizeof *work);
    } else {
        point_out(work, &point);
    }
    WIPE_CTX(&point);
    WIPE_CTX(&entry);
    return done;
}
