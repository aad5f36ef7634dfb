import { useEffect } from 'react'
import { useTitle } from '../title.ts'
import { buttonClass } from '../ui/button.tsx'
import { Logo } from '../ui/logo.tsx'
import { Void } from '../ui/page.tsx'

/** Shown when a screen itself breaks. */
export function FailPage({ error }: { error?: unknown }) {
  useTitle('Failed')
  useEffect(() => {
    if (error) console.error(error)
  }, [error])
  return (
    <Void>
      <Logo size={64} />
      <h1>SOMETHING FAILED</h1>
      <p>Check console for error stack</p>
      <a className={buttonClass()} href="/">
        Back home
      </a>
    </Void>
  )
}
