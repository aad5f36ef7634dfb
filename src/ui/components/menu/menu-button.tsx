import { type ReactNode, useState } from 'react'
import { later } from '../../navigation/idle.ts'
import type { MenuEntry } from './menu.ts'

const useMenu = later(async () => (await import('./menu-popup.tsx')).MenuPopup)

/** A button with a dropdown. Until the dropdown's code is here it is a plain button that remembers being pressed. */
export function MenuButton(props: {
  entries: readonly MenuEntry[]
  className: string | undefined
  children: ReactNode
  align: 'start' | 'end'
  active: boolean
}) {
  const { Component, hurry, ask } = useMenu()
  const [asked, setAsked] = useState(false)
  // A button that is replaced under a pressed pointer never hears the click.
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
      onPointerEnter={hurry}
      onFocus={() => {
        setFocused(true)
        hurry()
      }}
      onBlur={() => setFocused(false)}
      onPointerDown={() => setPressed(true)}
      onClick={() => {
        setPressed(false)
        setAsked(true)
        void ask().then(setAsked)
      }}
    >
      {props.children}
    </button>
  )
}
