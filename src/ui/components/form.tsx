import type { ComponentProps } from 'react'

type Props = Omit<ComponentProps<'form'>, 'onSubmit'> & { onSend: () => void }

/** A form that the page submits itself, instead of the browser. */
export const Form = ({ onSend, ...rest }: Props) => (
  <form
    {...rest}
    onSubmit={(event) => {
      event.preventDefault()
      onSend()
    }}
  />
)
