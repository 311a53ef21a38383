# Synapse: a line typed as `@handle message` goes to an agent, byte for byte.
#
# The widget behind Enter looks at the line. For a message it makes the first word an alias that ends
# in `#`: to zsh the rest is a comment, so it is neither parsed nor expanded, and yet the line stands
# on the screen and in the history as it was typed.

if [[ -o interactive && -o zle ]]; then
    typeset -g __synapse_program=@PROGRAM@
    typeset -g __synapse_undo= __synapse_line= __synapse_shown= __synapse_word=

    # Whether the line is a message: then its word and what is to be shown are set.
    __synapse_is_message() {
        emulate -L zsh -o extended_glob
        local line=$1 blanks word rest
        blanks=${(M)line##[[:blank:]]#}
        word=${line#$blanks}
        word=${word%%[[:space:]]*}
        rest=${line#$blanks$word}
        # A handle, and a message on the same line.
        [[ $rest == [[:blank:]]*[^[:space:]]* && $word == @?* ]] || return 1
        [[ $word == *[][:cntrl:]\!\"\#\$%\&\'\(\)\*+,/:\;\<=\>\?\[\\^\`\{\|\}~]* ]] && return 1
        whence -- $word >/dev/null && return 1
        [[ -e $word || -L $word ]] && return 1
        __synapse_word=$word __synapse_line=$line __synapse_shown=$line
        # A wide blank divides words for people, but not for zsh, and a second line would be run.
        if [[ $line != [$' \t']#${(b)word}[$' \t']* || $line == *$'\n'* ]]; then
            rest=${rest%%$'\n'*}
            __synapse_shown="$word ${rest##[[:blank:]]#}"
        fi
    }

    __synapse_accept_line() {
        # Left from a line that never ran.
        [[ -n $__synapse_undo ]] && __synapse_restore
        # Only the first line of a command is looked at, not its further lines or what vared reads.
        if [[ $CONTEXT == start && $BUFFER == *@* ]] && __synapse_is_message "$BUFFER"; then
            BUFFER=$__synapse_shown
            alias -- "$__synapse_word=__synapse_send #"
            __synapse_undo=alias
            [[ -o aliases ]] || { __synapse_undo+=' aliases'; setopt aliases; }
            [[ -o interactivecomments ]] || { __synapse_undo+=' comments'; setopt interactivecomments; }
            [[ -o banghist ]] && { __synapse_undo+=' bang'; unsetopt banghist; }
            if [[ $__synapse_shown != "$__synapse_line" ]]; then
                __synapse_undo+=' history'
                add-zsh-hook zshaddhistory __synapse_keep_typed
            fi
        fi
        zle "${__synapse_next:-.accept-line}"
    }

    __synapse_restore() {
        unalias -- "$__synapse_word" 2>/dev/null
        [[ $__synapse_undo == *aliases* ]] && unsetopt aliases
        [[ $__synapse_undo == *comments* ]] && unsetopt interactivecomments
        [[ $__synapse_undo == *bang* ]] && setopt banghist
        [[ $__synapse_undo == *history* ]] && add-zsh-hook -d zshaddhistory __synapse_keep_typed
        __synapse_undo=
    }

    # What was typed is kept, not what was shown of it.
    __synapse_keep_typed() {
        print -sr -- "$__synapse_line"
        return 1
    }

    __synapse_send() {
        __synapse_restore
        if [[ $__synapse_line == *$'\n'* ]]; then
            print -r -- "${__synapse_line#*$'\n'}" | LC_ALL=C command tr -d '\000-\010\013-\037\177' >&2
        fi
        "$__synapse_program" shell-line <<<"$__synapse_line"
    }

    __synapse_complete() {
        if [[ $PREFIX == @* ]]; then
            local -a handles
            handles=(${(f)"$("$__synapse_program" shell-line --handles 2>/dev/null)"})
            compadd -- $handles && return
        fi
        ${=__synapse_command_completion:-_autocd}
    }

    __synapse_install() {
        emulate -L zsh
        typeset -g __synapse_is_hooked=1 __synapse_next= __synapse_command_completion=
        # Whoever has a widget of their own behind Enter keeps it.
        if [[ ${widgets[accept-line]} == user:* ]]; then
            zle -A accept-line __synapse_next_accept_line
            __synapse_next=__synapse_next_accept_line
        fi
        zle -N accept-line __synapse_accept_line
        autoload -Uz add-zsh-hook
        if (( $+functions[compdef] )); then
            __synapse_command_completion=${_comps[-command-]}
            compdef __synapse_complete -command-
        fi
    }

    # Again, it would be its own next.
    [[ -n ${__synapse_is_hooked-} ]] || __synapse_install
    unfunction __synapse_install
fi
