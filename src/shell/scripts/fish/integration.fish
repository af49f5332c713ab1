# Marks prompts and commands (OSC 133) and reports the working directory (OSC 7). Read after all of the
# user's files (--init-command). fish 4 does this by itself.

# The nonce identifies this shell's marks, so its programs must not see it.
set --global __vtr_nonce $VTR_SHELL_NONCE
set --erase VTR_SHELL_NONCE

# Rises with each prompt, so that marks printed again, for example from a log, are ignored.
set --global __vtr_turn 0

# Returns whether no other integration marks prompts.
function __vtr_is_unmarked
    builtin string match --quiet --regex '^[0-3]\.' -- $version; or return 1
    for name in fish_prompt (builtin functions --handlers | builtin string replace --filter --regex '^fish_\w+ ' '')
        builtin functions -- $name 2>/dev/null | builtin string match --quiet --regex '\][16]33;'; and return 1
    end
    return 0
end

function __vtr_mark --argument-names what
    builtin printf '\e]133;%s;nonce=%s.%s\a' $what $__vtr_nonce $__vtr_turn
end

# The prompt is about to be shown.
function __vtr_prompt
    # fish has no event for the end of a prompt, so fish_prompt is wrapped, again after a redefinition.
    if not builtin functions fish_prompt | builtin string match --quiet '*__vtr_plain_prompt*'
        builtin functions --erase __vtr_plain_prompt 2>/dev/null
        builtin functions --copy fish_prompt __vtr_plain_prompt
        function fish_prompt
            __vtr_plain_prompt
            __vtr_mark B
        end
    end
    set --global __vtr_turn (builtin math $__vtr_turn + 1)
    __vtr_begin_prompt
end

function __vtr_begin_prompt
    builtin printf '\e]7;file://%s%s\a' $hostname (builtin string escape --style=url -- $PWD)
    __vtr_mark A
end

function __vtr_start --argument-names line
    set --local encoded (builtin string escape --style=url -- "$line")
    if builtin test (builtin string length -- "$encoded") -le 49152
        __vtr_mark "C;cmdline_url=$encoded"
    else
        __vtr_mark C
    end
end

function __vtr_end
    __vtr_mark "D;$status"
end

if builtin test -n "$__vtr_nonce"; and __vtr_is_unmarked
    function __vtr_on_prompt --on-event fish_prompt
        __vtr_prompt
    end
    # After an abandoned line fish shows the same prompt again.
    function __vtr_on_cancel --on-event fish_cancel
        __vtr_begin_prompt
    end
    # After a syntax error fish shows the same prompt again, with the line. 127 is the status of
    # `fish -c` for it.
    function __vtr_on_error --on-event fish_posterror
        __vtr_mark "D;127"
        __vtr_begin_prompt
    end
    function __vtr_on_start --on-event fish_preexec
        __vtr_start $argv
    end
    function __vtr_on_end --on-event fish_postexec
        __vtr_end
    end
end
builtin functions --erase __vtr_is_unmarked
