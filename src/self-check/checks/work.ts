import { type Finding, ok, problem, warning } from '../../platform/finding.ts'
import { formatCount } from '../../shared/count.ts'
import { type Milliseconds, minutes } from '../../shared/time.ts'

type Given = {
  /** Jobs that are due and not begun, and those of them that are late. */
  due: number
  late: number
  /** How long the oldest of them has been due. */
  oldest: Milliseconds
  /** Jobs that this instance is doing. */
  inFlight: number
  /** What stands still, in the word of /readyz. */
  standstill: string | undefined
}

const longestUsual = minutes(1)

/** Whether runs and deliveries begin on time. */
export function checkWork({ due, late, oldest, inFlight, standstill }: Given): Finding[] {
  const state = `${formatCount(due)} due, ${formatCount(late)} of them late, ${formatCount(inFlight)} in flight`
  return [
    ...(standstill === undefined
      ? []
      : [
          problem(
            `${activities[standstill] ?? standstill} have stopped although there is work to do.`,
            'Restart ToolBox, and see the log for the reason.',
          ),
        ]),
    oldest > longestUsual
      ? warning(
          `Runs and deliveries begin late: ${state}. The oldest has been due for ${Math.round(oldest / minutes(1))} min.`,
          'See whether the processor or the database is busy, or add an instance.',
        )
      : ok(`Runs and deliveries begin on time: ${state}.`),
  ]
}

const activities: Record<string, string> = {
  worker: 'Runs and deliveries',
  badges: 'Views of badges',
  events: 'Live updates between instances',
}
