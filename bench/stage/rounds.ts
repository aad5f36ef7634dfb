import type { Milliseconds } from '../../src/shared/time.ts'
import { atLeast, formatFigure, type Row } from '../table.ts'
import type { Load } from './load.ts'
import { median } from './measure.ts'

/** A load, and the server's CPU time for each answer. */
export type Measured = Load & { cpu: Milliseconds }
/** The same load on ours, on the least program that keeps what it receives, and on one that keeps nothing. */
export type Round = Record<'ours' | 'keeper' | 'bare', Measured>

/** Our share of the keeper's pace, the median of all rounds; the bare program's pace is only shown. */
export function shareOfKeeper(name: string, rounds: readonly Round[], least: number): Row {
  const middle = (subject: keyof Round, pick: (measured: Measured) => number) =>
    formatFigure(median(rounds.map((round) => pick(round[subject]))))
  const list = (pick: (measured: Measured) => number) =>
    `${middle('ours', pick)} and ${middle('keeper', pick)}; ${middle('bare', pick)} where nothing is kept`
  return atLeast(
    `${name}, beside the least that keeps them`,
    median(rounds.map(({ ours, keeper }) => ours.perSecond / keeper.perSecond)),
    least,
    '×',
    `a second: ${list(({ perSecond }) => perSecond)}. µs of CPU each: ${list(({ cpu }) => cpu * 1_000)}`,
  )
}
