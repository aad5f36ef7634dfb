import { Check, Copy } from 'lucide-react'
import { useState } from 'react'
import { complain } from '../../toasts.ts'
import { Button } from '../button.tsx'
import { ModalActions } from './modal.tsx'

/** The buttons below a text that can't be shown again; `noun` is what it is. */
export function CopyOnce({ text, noun, onDone }: { text: string; noun: string; onDone: () => void }) {
  const [copied, setCopied] = useState(false)
  const copy = () =>
    (navigator.clipboard?.writeText(text) ?? Promise.reject()).then(
      () => setCopied(true),
      () => complain(`Your browser blocked copying. Select the ${noun} and copy it manually.`),
    )
  const Icon = copied ? Check : Copy
  return (
    <ModalActions>
      <Button onClick={copy}>
        <Icon size={15} aria-hidden="true" />
        {copied ? 'Copied' : 'Copy'}
      </Button>
      <Button tone="primary" onClick={onDone}>
        Done
      </Button>
    </ModalActions>
  )
}
