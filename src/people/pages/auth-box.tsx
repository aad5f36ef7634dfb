import type { ReactNode } from 'react'
import { Logo } from '../../ui/components/logo.tsx'
import { Card, Void } from '../../ui/components/page.tsx'
import css from './auth.module.css'

/** The centred card of the sign-in screens. */
export function AuthBox({ title, children }: { title: string; children: ReactNode }) {
  return (
    <Void>
      <Card className={css.box}>
        <Logo size={44} />
        <h1>{title}</h1>
        {children}
      </Card>
    </Void>
  )
}
