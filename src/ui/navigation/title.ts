import { useEffect } from 'react'

/** Names the browser tab `ToolBox - {name}` while the page is shown. */
export function useTitle(name: string) {
  useEffect(() => {
    document.title = `ToolBox - ${name}`
  }, [name])
}
