import { type ReactNode, useState } from 'react'
import { lazyWhenIdle } from '../../navigation/lazy.ts'
import type { MenuEntry } from './menu.ts'

const useMenu = lazyWhenIdle(async () => (await import('./menu-popup.tsx')).MenuPopup)

/** A button with a dropdown. Until the dropdown's code is loaded, it is a plain button that remembers a click. */
export function MenuButton(props: {
  entries: readonly MenuEntry[]
  className: string | undefined
  children: ReactNode
  align: 'start' | 'end'
  active: boolean
}) {
  const { Component, preload, load } = useMenu()
  const [asked, setAsked] = useState<number>()
  // A button that is replaced between pointer down and up gets no click.
  const [pressed, setPressed] = useState(false)
  const [focused, setFocused] = useState(false)
  if (Component && !pressed) return <Component {...props} asked={asked} focused={focused} />
  return (
    <button
      type="button"
      aria-haspopup="menu"
      aria-expanded="false"
      className={props.className}
      data-active={props.active || undefined}
      onPointerEnter={preload}
      onFocus={() => {
        setFocused(true)
        preload()
      }}
      onBlur={() => setFocused(false)}
      onPointerDown={() => setPressed(true)}
      onClick={async ({ detail }) => {
        setPressed(false)
        setAsked(detail)
        if (!(await load())) setAsked(undefined)
      }}
    >
      {props.children}
    </button>
  )
}
