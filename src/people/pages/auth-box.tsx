import { Link } from '@tanstack/react-router'
import type { ComponentProps, ReactNode } from 'react'
import { buttonClass } from '../../ui/components/button.tsx'
import { Logo } from '../../ui/components/logo.tsx'
import { Card, MessageScreen } from '../../ui/components/page.tsx'
import css from './auth.module.css'

export function AuthBox({ title, children }: { title: string; children: ReactNode }) {
  return (
    <MessageScreen>
      <Card className={css.box}>
        <Logo size={44} />
        <h1>{title}</h1>
        {children}
      </Card>
    </MessageScreen>
  )
}

type WideProps = Pick<ComponentProps<typeof Link>, 'to' | 'children'> & { tone?: 'primary' | 'plain' }

export const WideLink = ({ tone = 'plain', ...link }: WideProps) => (
  <Link {...link} className={buttonClass({ tone, size: 'wide' })} />
)
