import { Copy, Download } from 'lucide-react'
import { Button, Buttons } from '../../../ui/components/button.tsx'
import { copy } from '../../../ui/components/copy.ts'
import { saveFile } from '../../../ui/save-file.ts'
import css from './second-factor.module.css'

/** New recovery codes to copy or download; they are shown only once. */
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
      <Buttons>
        <Button size="small" onClick={() => void copy(text, 'the recovery codes')}>
          <Copy size={13} aria-hidden="true" />
          Copy
        </Button>
        <Button size="small" autoFocus onClick={() => download(text)}>
          <Download size={13} aria-hidden="true" />
          Download
        </Button>
      </Buttons>
    </div>
  )
}

const download = (text: string) =>
  saveFile([`ToolBox recovery codes for ${location.host}\n\n${text}\n`], {
    name: 'toolbox-recovery-codes.txt',
    type: 'text/plain',
  })
