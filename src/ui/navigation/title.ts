import { useEffect } from 'react'

/** Sets the browser tab's title to `ToolBox - {name}`. */
export function useTitle(name: string) {
  useEffect(() => {
    document.title = `ToolBox - ${name}`
  }, [name])
}
