import type { Survives } from './lose-power.ts'

/** Chooses a pattern of losing unsynced data by an integer. The first patterns are the extremes, which find most. */
export function lossesOf(seed: number): Survives {
  const way = ways[seed % ways.length] ?? everything
  return way(seed)
}

type LossPattern = (seed: number) => Survives

const nothing: LossPattern = () => () => false
const everything: LossPattern = () => () => true
/** Names without content: files are empty. */
const names: LossPattern =
  () =>
  (_, { kind }) =>
    kind !== 'write'
/** Names and sizes without content: files are full of zeros. */
const sizes: LossPattern =
  () =>
  (_, { kind }, part) =>
    kind !== 'write' || part === null
/** Contents without names. */
const contents: LossPattern =
  () =>
  (_, { kind }) =>
    kind === 'write' || kind === 'cut'
const anyPart: LossPattern = (seed) => (index, _, part) => chance(seed, index, part) < 0.5
const anyWhole: LossPattern = (seed) => (index) => chance(seed, index, null) < 0.5
/** Nearly everything. */
const most: LossPattern = (seed) => (index, _, part) => chance(seed, index, part) < 0.9
/** Names in any order, contents as they were written. */
const anyName: LossPattern =
  (seed) =>
  (index, { kind }) =>
    kind === 'write' || chance(seed, index, null) < 0.5

const ways: readonly LossPattern[] = [nothing, everything, names, sizes, contents, anyPart, anyWhole, most, anyName]

/** Number from 0 to 1 that depends on nothing else. */
function chance(seed: number, index: number, part: number | null): number {
  let mixed =
    Math.imul(seed + 1, 0x9e3779b1) ^ Math.imul(index + 1, 0x85ebca77) ^ Math.imul((part ?? -1) + 3, 0xc2b2ae3d)
  mixed = Math.imul(mixed ^ (mixed >>> 15), 0x2c1b3c6d)
  mixed = Math.imul(mixed ^ (mixed >>> 12), 0x297a2d39)
  return ((mixed ^ (mixed >>> 15)) >>> 0) / 2 ** 32
}
