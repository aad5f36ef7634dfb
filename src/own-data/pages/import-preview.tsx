import { useState } from 'react'
import { formatCount } from '../../shared/count.ts'
import { Button } from '../../ui/components/button.tsx'
import { ModalActions } from '../../ui/components/modal/modal.tsx'
import { type Look, StatusPill } from '../../ui/components/pill.tsx'
import type { ImportLine, ImportReport, Outcome } from '../contract.ts'
import css from './own-data.module.css'
import { planInWords } from './words.ts'

const outcomes: Record<Outcome, { text: string; look: Look }> = {
  created: { text: 'New', look: 'ok' },
  changed: { text: 'Changed', look: 'busy' },
  same: { text: 'The same', look: 'off' },
  refused: { text: 'Refused', look: 'bad' },
}
/** More lines at once make a browser slow. */
const inSight = 200

/** What is refused first, since that is what somebody has to do something about; then in the file's order. */
const inOrder = (lines: readonly ImportLine[]) =>
  lines.toSorted((a, b) => Number(b.outcome === 'refused') - Number(a.outcome === 'refused') || a.line - b.line)

/** What would become of each line of a file, and the button that does it. */
export function ImportPreview(props: {
  report: ImportReport
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
        {planInWords(props.report)}
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

function Row({ line: { line, what, tool, outcome, why } }: { line: ImportLine }) {
  const { text, look } = outcomes[outcome]
  return (
    <tr>
      <td>{formatCount(line)}</td>
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
