import { useEffect } from 'react'

export function useTitle(name: string) {
  useEffect(() => {
    document.title = `ToolBox - ${name}`
  }, [name])
}
