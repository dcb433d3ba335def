# A callable that answers what is no answer to the question, as HOW says. The next configuration is not to suffer for it.
while read -r line; do
  how=${line##*\"HOW\":\"}
  how=${how%%\"*}
  case $line in
    *'"describe"'*) echo '{"name":"misspoken","version":"1","parameters":{
"HOW":["plain","log","twice","ms","text","Wrong","null","fast"]}}' | tr -d '\n'; echo ;;
    *'"begin"'*) echo '{}' ;;
    *'"run"'*)
      case $how in
        log) printf '{"level":"info"}\n{"ns":1000}\n' ;;
        twice) printf '{"ns":1000}\n{"ns":1000}\n' ;;
        ms) echo '{"ms":1.2}' ;;
        text) echo '{"ns":"fast"}' ;;
        fast) echo '{"ns":500000}' ;;
        *) echo '{"ns":1000000}' ;;
      esac ;;
    *'"check"'*)
      case $how in
        Wrong) echo '{"Wrong":"it is"}' ;;
        null) echo '{"wrong":null}' ;;
        *) echo '{}' ;;
      esac ;;
  esac
done
