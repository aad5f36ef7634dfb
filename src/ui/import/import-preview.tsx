import { useState } from 'react'
import { formatCount } from '../../shared/count.ts'
import type { Outcome } from '../../shared/schemas/import-report.ts'
import { Button } from '../components/button.tsx'
import { ModalActions } from '../components/modal/modal.tsx'
import { type Look, StatusPill } from '../components/pill.tsx'
import css from './import.module.css'
import type { Line, Report } from './report.ts'

const outcomes: Record<Outcome, { text: string; look: Look }> = {
  created: { text: 'New', look: 'ok' },
  changed: { text: 'Changed', look: 'busy' },
  same: { text: 'The same', look: 'off' },
  refused: { text: 'Refused', look: 'bad' },
}
/** More lines at once make a browser slow. */
const inSight = 200

/** What is refused first, since that is what somebody has to do something about; then in the file's order. */
const inOrder = (lines: readonly Line[]) =>
  lines.toSorted((a, b) => Number(b.outcome === 'refused') - Number(a.outcome === 'refused') || a.line - b.line)

/** What would become of each line of a file, and the button that does it. */
export function ImportPreview(props: {
  report: Report
  /** What would come of it, in a sentence. */
  words: string
  busy: boolean
  onBack: () => void
  onImport: () => void
}) {
  const { created, changed, refused, lines } = props.report
  const [shown, setShown] = useState(inSight)
  const ordered = inOrder(lines)
  return (
    <div className={css.form}>
      <p className={css.words} role="status">
        {props.words}
      </p>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reached by the keyboard */}
      <section className={css.lines} aria-label="Lines of the file" tabIndex={0}>
        <table>
          <thead>
            <tr>
              <th scope="col">Line</th>
              <th scope="col">What</th>
              <th scope="col">Outcome</th>
            </tr>
          </thead>
          <tbody>
            {ordered.slice(0, shown).map((line, index) => (
              // biome-ignore lint/suspicious/noArrayIndexKey: several may stand on one line, and none moves
              <Row key={index} line={line} />
            ))}
          </tbody>
        </table>
      </section>
      <ModalActions>
        {ordered.length > shown && (
          <Button onClick={() => setShown(ordered.length)}>Show all {formatCount(ordered.length)}</Button>
        )}
        <Button onClick={props.onBack}>Back</Button>
        <Button tone="primary" disabled={props.busy || created + changed === 0} onClick={props.onImport}>
          {refused.length > 0 ? 'Import the rest' : 'Import'}
        </Button>
      </ModalActions>
    </div>
  )
}

function Row({ line: { line, at, what, tool, outcome, why } }: { line: Line }) {
  const { text, look } = outcomes[outcome]
  return (
    <tr>
      <td>{at ?? formatCount(line)}</td>
      <td>
        {what || '–'}
        {tool && <small>{tool}</small>}
      </td>
      <td>
        <StatusPill look={look} text={text} />
        {why && <small className={outcome === 'refused' ? css.why : undefined}>{why}</small>}
      </td>
    </tr>
  )
}
