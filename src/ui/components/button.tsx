import type { ComponentProps, ReactNode } from 'react'
import css from './button.module.css'

type ButtonLook = { tone?: 'plain' | 'primary' | 'danger' | 'nuke'; size?: 'medium' | 'small' | 'wide' }

/** The class of a button, also for links that look like one. */
export const buttonClass = ({ tone = 'plain', size = 'medium' }: ButtonLook = {}) =>
  [css.button, css[tone], css[size]].join(' ')

export function Button({ tone, size, ...rest }: ButtonLook & ComponentProps<'button'>) {
  return <button type="button" {...rest} className={buttonClass({ ...(tone && { tone }), ...(size && { size }) })} />
}

export const iconButtonClass = css.icon
export function IconButton({ label, ...rest }: { label: string } & ComponentProps<'button'>) {
  return <button type="button" aria-label={label} title={label} {...rest} className={css.icon} />
}

/** The class of a link within a text, also for buttons that look like one. */
export const linkClass = css.link

export const Buttons = ({ children }: { children: ReactNode }) => <div className={css.row}>{children}</div>
