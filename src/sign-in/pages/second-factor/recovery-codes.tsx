import { Copy, Download } from 'lucide-react'
import { seconds } from '../../../shared/time.ts'
import { Button } from '../../../ui/components/button.tsx'
import { copy } from '../../../ui/components/copy.ts'
import css from './second-factor.module.css'

/** New recovery codes, which are shown only this once, to copy or download. */
export function RecoveryCodeList({ codes }: { codes: readonly string[] }) {
  const text = codes.join('\n')
  return (
    <div className={css.codes}>
      <ul aria-label="Recovery codes">
        {codes.map((code) => (
          <li key={code}>
            <code>{code}</code>
          </li>
        ))}
      </ul>
      <div className={css.row}>
        <Button size="small" onClick={() => void copy(text, 'the recovery codes')}>
          <Copy size={13} aria-hidden="true" />
          Copy
        </Button>
        <Button size="small" autoFocus onClick={() => download(text)}>
          <Download size={13} aria-hidden="true" />
          Download
        </Button>
      </div>
    </div>
  )
}

function download(text: string) {
  const href = URL.createObjectURL(new Blob([`ToolBox recovery codes for ${location.host}\n\n${text}\n`]))
  Object.assign(document.createElement('a'), { href, download: 'toolbox-recovery-codes.txt' }).click()
  // A browser may begin the download a little later.
  setTimeout(() => URL.revokeObjectURL(href), seconds(30))
}
